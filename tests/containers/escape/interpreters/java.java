import java.net.Socket;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.Callable;

public class Main {
    static void attempt(String what, Callable<Object> call) {
        try {
            Object got = call.call();
            System.out.println((got == null ? "HELD " : "ESCAPED ") + what + " " + got);
        } catch (Throwable error) {
            System.out.println("HELD " + what + " " + error.getClass().getName());
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> c = new HashMap<>();
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ", 2);
            c.put(words[0], words.length > 1 ? words[1] : "");
        }
        attempt("file", () -> Files.readString(Path.of(c.get("file"))));
        attempt("answer", () -> Files.readString(Path.of(c.get("answer"))));
        attempt("environment", () -> System.getenv(c.get("env")));
        attempt("write", () -> Files.writeString(Path.of(c.get("world"), c.get("mark")), "x"));
        attempt("process", () -> new ProcessBuilder("/bin/echo", "x").start().waitFor());
        attempt("connect", () -> new Socket("127.0.0.1", Integer.parseInt(c.get("tcp"))));
        attempt("others", () -> ProcessHandle.of(Long.parseLong(c.get("pid"))).orElse(null));
    }
}
