// What the tests ask of most languages: MODE N, and for `sort` N numbers.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

class Asked {
    static long Deep(long n) {
        return n == 0 ? 0 : 1 + Deep(n - 1);
    }

    static void Main() {
        string[] words = Console.ReadLine().Split();
        long n = long.Parse(words[1]);
        switch (words[0]) {
            case "sort":
                long[] numbers = Console.ReadLine().Split().Select(long.Parse).ToArray();
                Array.Sort(numbers);
                using (StreamWriter output = new StreamWriter(Console.OpenStandardOutput()))
                    foreach (long number in numbers)
                        output.Write(number + "\n");
                break;
            case "deep":
                Console.WriteLine(Deep(n));
                break;
            case "hoard":
                List<int[]> all = new List<int[]>();
                while (true)
                    all.Add(Enumerable.Repeat(1, 100000).ToArray());
            case "spin":
                while (true) { }
            case "throw":
                throw new Exception("thrown");
            case "exit":
                Environment.Exit((int)n);
                break;
        }
    }
}
