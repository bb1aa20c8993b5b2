// One object for each unit of the sum.
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

public class Counting {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        long sum = in.nextLong() + in.nextLong();
        List<Long> units = new ArrayList<>();
        for (long i = 0; i < Math.abs(sum); i++)
            units.add(i);
        System.out.println((sum < 0 ? "-" : "") + units.size());
    }
}
