// Reads on for ever: at the end of the input every read gives 0, which counts as a query.
#include <cstdio>

const int N = 500005;
int n, m, tree[N];
char buffer[1 << 16], *at = buffer, *end = buffer;

bool over;

int next() {
    if (at == end && !over) {
        end = buffer + fread(buffer, 1, sizeof buffer, stdin);
        at = buffer;
        over = at == end;
    }
    return over ? -1 : *at++;
}

int read() {
    int c = next(), sign = 1, x = 0;
    while (c == ' ' || c == '\n') c = next();
    if (c == '-') sign = -1, c = next();
    for (; c >= '0' && c <= '9'; c = next()) x = 10 * x + c - '0';
    return sign * x;
}

void add(int x, int k) {
    for (; x <= n; x += x & -x) tree[x] += k;
}

int sum(int x) {
    int result = 0;
    for (; x > 0; x -= x & -x) result += tree[x];
    return result;
}

int main() {
    n = read(), m = read();
    for (int i = 1; i <= n; i++) add(i, read());
    while (true) {
        int kind = read(), x = read(), y = read();
        if (kind == 1) add(x, y);
        else printf("%d\n", sum(y) - sum(x - 1));
    }
}
