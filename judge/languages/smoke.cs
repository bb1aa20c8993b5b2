using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;

class Program {
    static void Main() {
        List<BigInteger> numbers = Console.ReadLine().Split().Select(BigInteger.Parse).ToList();
        Console.WriteLine(numbers.Aggregate((a, b) => a + b));
    }
}
