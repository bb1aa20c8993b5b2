// Insertion into a list.
import java.util.LinkedList;
import java.util.ListIterator;
import java.util.Scanner;

public class Insertion {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        LinkedList<Integer> sorted = new LinkedList<>();
        for (int n = in.nextInt(); n > 0; n--) {
            int x = in.nextInt();
            ListIterator<Integer> at = sorted.listIterator();
            while (at.hasNext())
                if (at.next() > x) {
                    at.previous();
                    break;
                }
            at.add(x);
        }
        StringBuilder out = new StringBuilder();
        for (int x : sorted)
            out.append(x).append(' ');
        System.out.println(out);
    }
}
