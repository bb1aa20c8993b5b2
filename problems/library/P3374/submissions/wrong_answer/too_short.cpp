// The tree is sized for 100000 numbers; later positions are silently left out.
#include <cstdio>

const int N = 100005;
int n, m, tree[N];

void add(int x, int k) {
    for (; x <= n && x < N; x += x & -x) tree[x] += k;
}

int sum(int x) {
    int result = 0;
    for (; x > 0; x -= x & -x) {
        if (x < N) result += tree[x];
    }
    return result;
}

int main() {
    scanf("%d %d", &n, &m);
    for (int i = 1; i <= n; i++) {
        int value;
        scanf("%d", &value);
        add(i, value);
    }
    while (m--) {
        int kind, x, y;
        scanf("%d %d %d", &kind, &x, &y);
        if (kind == 1) add(x, y);
        else printf("%d\n", sum(y) - sum(x - 1));
    }
}
