import java.io.*;
import java.util.*;
import java.util.stream.*;

/** What programs use, for javac to have seen it (java-library.sh). */
public class Usual {
    private static final int MOD = 1_000_000_007;
    private final Map<String, List<Integer>> groups = new TreeMap<>();

    static final class Edge {
        final int to;
        final long cost;

        Edge(int to, long cost) {
            this.to = to;
            this.cost = cost;
        }
    }

    interface Visitor<T extends Comparable<T>> {
        T visit(T value) throws IOException;
    }

    enum Kind { FIRST, SECOND }

    static long power(long base, long exponent) {
        long result = 1;
        for (; exponent > 0; exponent >>= 1, base = base * base % MOD)
            if ((exponent & 1) != 0)
                result = result * base % MOD;
        return result;
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringTokenizer words = new StringTokenizer(in.readLine());
        Scanner scanner = new Scanner(System.in);
        int n = Integer.parseInt(words.nextToken());
        int[][] grid = new int[n][n + 1];
        List<List<Edge>> graph = new ArrayList<>();
        PriorityQueue<Edge> queue = new PriorityQueue<>((a, b) -> Long.compare(a.cost, b.cost));
        Deque<int[]> stack = new ArrayDeque<>();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            graph.add(new ArrayList<>());
            grid[i][0] = scanner.nextInt();
        }
        for (int[] row : grid)
            for (int value : row)
                out.append(value > 0 ? value : -value).append(' ');
        while (!queue.isEmpty() && stack.size() < n) {
            Edge edge = queue.poll();
            stack.push(new int[] {edge.to, (int) (edge.cost % MOD)});
        }
        try {
            Visitor<Integer> twice = value -> value * 2;
            out.append(twice.visit(n)).append(Kind.valueOf("FIRST"));
        } catch (IllegalArgumentException | IOException error) {
            throw new RuntimeException(error);
        }
        Usual usual = new Usual();
        usual.groups.computeIfAbsent("a", key -> new ArrayList<>()).add(n);
        String all = usual.groups.values().stream().flatMap(List::stream).map(String::valueOf).collect(Collectors.joining(","));
        switch (n % 3) {
            case 0: System.out.println(all); break;
            default: System.out.printf("%d %s%n", power(2, n), out.toString().trim());
        }
        Arrays.sort(grid, Comparator.comparingInt(row -> row[0]));
    }
}
