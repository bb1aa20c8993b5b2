// Written for another compiler: its headers and types are not here.
#include <conio.h>
#include <stdio.h>

int main() {
    __int64 a, b, p, result = 1;
    scanf_s("%I64d %I64d %I64d", &a, &b, &p);
    for (__int64 k = b, square = a % p; k > 0; k /= 2, square = square * square % p) {
        if (k % 2 == 1) result = result * square % p;
    }
    printf("%I64d^%I64d mod %I64d=%I64d\n", a, b, p, result);
    getch();
}
