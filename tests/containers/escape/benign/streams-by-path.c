// Shows: /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/0, /dev/null, /dev/zero and /dev/full by path
#include <stdio.h>

int main(void)
{
    long long a, b, c;
    FILE *input = fopen("/dev/stdin", "r"), *again = fopen("/dev/fd/0", "r"), *output = fopen("/dev/stdout", "w");
    FILE *error = fopen("/dev/stderr", "w"), *null = fopen("/dev/null", "w"), *zero = fopen("/dev/zero", "r");
    FILE *full = fopen("/dev/full", "w");
    if (!input || !again || !output || !error || !null || !zero || !full)
        return 2;
    if (fscanf(input, "%lld%lld", &a, &b) != 2 || fscanf(again, "%lld", &c) != 1 || c != a || getc(zero) != 0)
        return 1;
    fprintf(null, "%lld", a);
    setbuf(full, NULL);
    if (putc('x', full) != EOF)
        return 3;
    fprintf(error, "fine\n");
    fprintf(output, "%lld\n", a + b);
    return fclose(output);
}
