// Shows: Java: threads, collections, BigInteger, 10^5 frames in a thread of 256 MB
// Except: vetted, where threads open no files, and its runtime opens some from several
import java.io.*;
import java.math.BigInteger;
import java.util.*;
import java.util.concurrent.*;

public class Main {
    static long down(long value, int depth) { return depth == 0 ? value : down(value, depth - 1); }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer words = new StringTokenizer(input.readLine());
        BigInteger a = new BigInteger(words.nextToken()), b = new BigInteger(words.nextToken());
        ExecutorService pool = Executors.newFixedThreadPool(4);
        long sum = pool.submit(() -> a.add(b).longValueExact()).get();
        pool.shutdown();
        long[] result = new long[1];
        Thread deep = new Thread(null, () -> result[0] = down(sum, 100000), "deep", 64L << 20);
        deep.start();
        deep.join();
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 100000; i++) numbers.add(i);
        Collections.shuffle(numbers);
        Collections.sort(numbers);
        System.out.println(result[0] + numbers.get(0));
    }
}
