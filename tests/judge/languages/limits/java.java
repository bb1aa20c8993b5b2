import java.util.*;

public class Limits {
    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
    public static void main(String[] arguments) {
        Scanner in = new Scanner(System.in);
        String what = in.next();
        int n = in.nextInt();
        switch (what) {
            case "memory":
                List<byte[]> parts = new ArrayList<>();
                for (int i = 0; i < n; i++) parts.add(new byte[(1 << 20) - 16]);
                n = parts.size();
                break;
            case "depth": n = depth(n); break;
            default: throw new IllegalStateException("fail");
        }
        System.out.println("done " + n);
    }
}
