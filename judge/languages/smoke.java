import java.util.Scanner;
import java.util.stream.IntStream;

public class Smoke {
    public static void main(String[] arguments) {
        try (Scanner in = new Scanner(System.in)) {
            System.out.println(IntStream.of(in.nextInt(), in.nextInt()).sum());
        }
    }
}
