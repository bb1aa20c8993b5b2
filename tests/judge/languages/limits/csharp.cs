using System;
using System.Collections.Generic;
class Program {
    static int Depth(int n) { return n == 0 ? 0 : 1 + Depth(n - 1); }
    static void Main() {
        var words = Console.ReadLine().Split();
        int n = int.Parse(words[1]);
        switch (words[0]) {
            case "memory":
                var parts = new List<byte[]>();
                for (int i = 0; i < n; i++) { var part = new byte[1 << 20]; for (int at = 0; at < part.Length; at += 4096) part[at] = 1; parts.Add(part); }
                n = parts.Count;
                break;
            case "depth": n = Depth(n); break;
            default: throw new InvalidOperationException("fail");
        }
        Console.WriteLine("done " + n);
    }
}
