import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StreamTokenizer;
import java.util.Arrays;

public class Std {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        in.nextToken();
        int[] a = new int[(int) in.nval];
        for (int i = 0; i < a.length; i++) {
            in.nextToken();
            a[i] = (int) in.nval;
        }
        Arrays.sort(a);
        StringBuilder out = new StringBuilder();
        for (int x : a)
            out.append(x).append(' ');
        System.out.println(out);
    }
}
