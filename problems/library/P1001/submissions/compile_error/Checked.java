// An exception that is neither caught nor declared.
public class Checked {
    public static void main(String[] args) {
        System.out.println(System.in.read());
    }
}
