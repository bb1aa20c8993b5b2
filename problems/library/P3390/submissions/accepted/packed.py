# A row of the matrix is one big integer, 9 bytes an element: a product of rows is a sum of numbers times integers.
import sys
from operator import mul

MOD = 10**9 + 7
WIDTH = 9  # 100 products of two residues need 67 bits


def pack(row):
    return int.from_bytes(b"".join([x.to_bytes(WIDTH, "little") for x in row]), "little")


def multiply(a, b):
    packed = [pack(row) for row in b]
    size = WIDTH * len(b)
    product = []
    for row in a:
        data = sum(map(mul, row, packed)).to_bytes(size, "little")
        product.append([int.from_bytes(data[i:i + WIDTH], "little") % MOD for i in range(0, size, WIDTH)])
    return product


def main():
    n, k, *elements = map(int, sys.stdin.read().split())
    a = [[x % MOD for x in elements[i:i + n]] for i in range(0, n * n, n)]
    result = [[int(i == j) for j in range(n)] for i in range(n)]
    while k:
        if k & 1:
            result = multiply(result, a)
        k >>= 1
        if k:
            a = multiply(a, a)
    for row in result:
        print(*row)


main()
