# Sieve of Eratosthenes over the odd numbers: a slice of a bytearray for each prime.
import sys
from array import array
from itertools import compress


def main():
    n, q, *queries = map(int, sys.stdin.buffer.read().split())
    half = (n + 1) // 2
    sieve = bytearray(b"\1") * half  # i stands for 2i + 1
    sieve[0] = 0
    for i in range(1, (int(n**0.5) + 1) // 2 + 1):
        if i < half and sieve[i]:
            p = 2 * i + 1
            start = p * p // 2
            sieve[start::p] = bytes(len(range(start, half, p)))
    primes = array("i", [2])
    primes.extend(compress(range(1, n + 1, 2), sieve))
    print("\n".join([str(primes[k - 1]) for k in queries]))


main()
