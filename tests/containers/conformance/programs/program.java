import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringTokenizer;
import java.util.concurrent.atomic.AtomicLong;

/** What the tests ask of every language: MODE N, and for `sort` N numbers. */
public class Program {
    static long deep(long n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer words = new StringTokenizer(in.readLine());
        String mode = words.nextToken();
        int n = Integer.parseInt(words.nextToken());
        switch (mode) {
            case "sort": {
                long[] numbers = new StringTokenizerStream(in.readLine()).longs(n);
                Arrays.sort(numbers);
                StringBuilder out = new StringBuilder();
                for (long number : numbers)
                    out.append(number).append('\n');
                System.out.print(out);
                break;
            }
            case "deep":
                System.out.println(deep(n));
                break;
            case "large": {
                int[] numbers = new int[n / 4];
                Arrays.fill(numbers, 1);
                System.out.println(numbers[n / 8]);
                break;
            }
            case "garbage": {
                long sum = 0;
                for (int i = 0; i < n; i++)
                    sum += new int[1024].length;
                System.out.println(sum);
                break;
            }
            case "hoard": {
                List<int[]> all = new ArrayList<>();
                for (;;) {
                    int[] some = new int[1 << 16];
                    Arrays.fill(some, 1);
                    all.add(some);
                }
            }
            case "threads": {
                AtomicLong sum = new AtomicLong();
                List<Thread> threads = new ArrayList<>();
                for (int i = 1; i <= n; i++) {
                    final int mine = i;
                    threads.add(new Thread(() -> sum.addAndGet(mine)));
                }
                for (Thread thread : threads)
                    thread.start();
                for (Thread thread : threads)
                    thread.join();
                System.out.println(sum);
                break;
            }
            case "file":
                Files.writeString(Path.of("file"), "" + n);
                System.out.println(Files.readString(Path.of("file")));
                break;
            case "spin":
                for (long i = 1; i != 0; i++)
                    if (i % 1000003 == 0 && System.nanoTime() == 0)
                        return;
                break;
            case "throw":
                throw new IllegalStateException("thrown");
            case "exit":
                System.exit(n);
        }
    }
}

class StringTokenizerStream {
    private final StringTokenizer words;

    StringTokenizerStream(String line) {
        words = new StringTokenizer(line);
    }

    long[] longs(int count) {
        long[] result = new long[count];
        for (int i = 0; i < count; i++)
            result[i] = Long.parseLong(words.nextToken());
        return result;
    }
}
