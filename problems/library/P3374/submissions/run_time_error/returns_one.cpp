// Every answer is right, but main returns the last kind it read.
#include <cstdio>

const int N = 500005;
int n, m, tree[N];

void add(int x, int k) {
    for (; x <= n; x += x & -x) tree[x] += k;
}

int sum(int x) {
    int result = 0;
    for (; x > 0; x -= x & -x) result += tree[x];
    return result;
}

int main() {
    int kind, x, y;
    scanf("%d %d", &n, &m);
    for (int i = 1; i <= n; i++) {
        scanf("%d", &x);
        add(i, x);
    }
    while (m--) {
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) add(x, y);
        else printf("%d\n", sum(y) - sum(x - 1));
    }
    return kind;
}
