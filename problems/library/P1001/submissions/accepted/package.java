// A package, a public class that is not called Main, and another class before it.
package contest.first;

class Reader {
    static long[] numbers() throws java.io.IOException {
        String text = new String(System.in.readAllBytes());
        return java.util.Arrays.stream(text.trim().split("\\s+")).mapToLong(Long::parseLong).toArray();
    }
}

public class Sum {
    public static void main(String... args) throws java.io.IOException {
        System.out.println(java.util.stream.LongStream.of(Reader.numbers()).sum());
    }
}
