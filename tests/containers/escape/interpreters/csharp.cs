using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Runtime.InteropServices;

class Program {
    [DllImport("libc")] static extern int fork();
    [DllImport("libc")] static extern void _exit(int code);
    [DllImport("libc")] static extern int kill(int pid, int signal);
    [DllImport("libc")] static extern long ptrace(long request, long pid, IntPtr address, IntPtr data);

    static void Attempt(string what, Func<object> call) {
        try {
            object got = call();
            Console.WriteLine((got == null ? "HELD " : "ESCAPED ") + what + " " + got);
        } catch (Exception error) {
            Console.WriteLine("HELD " + what + " " + error.GetType().Name);
        }
        Console.Out.Flush();
    }

    static object Fork() {
        int made = fork();
        if (made == 0)
            _exit(0);
        return made > 0 ? (object) made : null;
    }

    static void Main() {
        var c = new Dictionary<string, string>();
        for (string line; (line = Console.ReadLine()) != null;) {
            string[] words = line.Split(new[] {' '}, 2);
            c[words[0]] = words[1];
        }
        int pid = int.Parse(c["pid"]);
        Attempt("file", () => File.ReadAllText(c["file"]));
        Attempt("answer", () => File.ReadAllText(c["answer"]));
        Attempt("environment", () => Environment.GetEnvironmentVariable(c["env"]));
        Attempt("write", () => { File.WriteAllText(c["world"] + "/" + c["mark"], "x"); return 1; });
        Attempt("process", () => Process.Start(new ProcessStartInfo("/bin/echo", "x") { UseShellExecute = false }).Id);
        Attempt("connect", () => new TcpClient("127.0.0.1", int.Parse(c["tcp"])).GetStream());
        Attempt("others", () => File.ReadAllText("/proc/" + pid + "/status").Length);
        Attempt("fork", Fork);
        Attempt("signal", () => kill(pid, 0) == 0 ? (object) 1 : null);
        Attempt("trace", () => ptrace(16, pid, IntPtr.Zero, IntPtr.Zero) == 0 ? (object) 1 : null);
    }
}
