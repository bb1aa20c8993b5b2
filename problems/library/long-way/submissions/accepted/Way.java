import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;

public class Way {
    static DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(System.in, 1 << 16));

    static int next() throws IOException {
        int c = in.read(), n = 0;
        while (c <= ' ') c = in.read();
        for (; c > ' '; c = in.read()) n = n * 10 + c - '0';
        return n;
    }

    static int n;
    static int[] first, other, length, to;
    static long[] at;

    static int farthest(int from) {
        at = new long[n + 1];
        Arrays.fill(at, -1);
        int[] queue = new int[n];
        queue[0] = from;
        at[from] = 0;
        int count = 1, best = from;
        for (int i = 0; i < count; i++) {
            int u = queue[i];
            if (at[u] > at[best]) best = u;
            for (int e = first[u]; e >= 0; e = other[e])
                if (at[to[e]] < 0) {
                    at[to[e]] = at[u] + length[e];
                    queue[count++] = to[e];
                }
        }
        return best;
    }

    public static void main(String[] args) throws IOException {
        n = next();
        first = new int[n + 1];
        Arrays.fill(first, -1);
        other = new int[2 * n];
        length = new int[2 * n];
        to = new int[2 * n];
        for (int i = 0; i < 2 * (n - 1); i += 2) {
            int u = next(), v = next(), w = next();
            to[i] = v;
            to[i + 1] = u;
            length[i] = length[i + 1] = w;
            other[i] = first[u];
            first[u] = i;
            other[i + 1] = first[v];
            first[v] = i + 1;
        }
        int end = farthest(farthest(1));
        System.out.println(at[end]);
    }
}
