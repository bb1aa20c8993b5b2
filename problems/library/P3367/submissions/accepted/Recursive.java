// Finds by recursion, on a thread with a stack of its own, as Java programs do.
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;

public class Recursive implements Runnable {
    private static final DataInputStream in = new DataInputStream(System.in);
    private static final byte[] buffer = new byte[1 << 16];
    private static int have, at;
    private int[] parent;

    private static int read() throws IOException {
        if (at == have) {
            have = in.read(buffer);
            at = 0;
        }
        return at < have ? buffer[at++] : -1;
    }

    private static int number() throws IOException {
        int c = read(), value = 0;
        while (c < '0')
            c = read();
        for (; c >= '0'; c = read())
            value = 10 * value + c - '0';
        return value;
    }

    private int find(int x) {
        return parent[x] == x ? x : (parent[x] = find(parent[x]));
    }

    @Override
    public void run() {
        try {
            int n = number(), m = number();
            parent = new int[n + 1];
            for (int i = 0; i <= n; i++)
                parent[i] = i;
            StringBuilder out = new StringBuilder();
            while (m-- > 0) {
                int kind = number(), x = find(number()), y = find(number());
                if (kind == 1)
                    parent[x] = y;
                else
                    out.append(x == y ? "Y\n" : "N\n");
            }
            new PrintStream(System.out).append(out).flush();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(null, new Recursive(), "main", 64 << 20);
        thread.start();
        thread.join();
    }
}
