import java.util.Scanner;

public class Letters {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int t = in.nextInt();
        while (t-- > 0) {
            if (args[0].equals("0")) {
                long x = in.nextLong();
                StringBuilder line = new StringBuilder("16");
                for (int i = 0; i < 16; i++) line.append(' ').append(i << 4 | (int) (x >> 4 * i & 15));
                System.out.println(line);
            } else {
                long x = 0;
                for (int k = in.nextInt(); k > 0; k--) {
                    int letter = in.nextInt();
                    x |= (long) (letter & 15) << 4 * (letter >> 4);
                }
                System.out.println(x);
            }
            System.out.flush();
        }
    }
}
