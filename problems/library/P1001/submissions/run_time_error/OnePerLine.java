import java.io.BufferedReader;
import java.io.InputStreamReader;

public class OnePerLine {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println(Long.parseLong(in.readLine()) + Long.parseLong(in.readLine()));
    }
}
