#include <cstdio>
#include <vector>

int main() {
    int n, m, u, v;
    if (std::scanf("%d %d", &n, &m) != 2)
        return 1;
    std::vector<std::vector<int>> after(n + 1);
    std::vector<int> waits(n + 1), order;
    while (m-- && std::scanf("%d %d", &u, &v) == 2) {
        after[u].push_back(v);
        waits[v]++;
    }
    for (int i = 1; i <= n; i++)
        if (waits[i] == 0)
            order.push_back(i);
    for (size_t i = 0; i < order.size(); i++)
        for (int next : after[order[i]])
            if (--waits[next] == 0)
                order.push_back(next);
    if ((int)order.size() < n) {
        std::puts("IMPOSSIBLE");
        return 0;
    }
    for (int one : order)
        std::printf("%d ", one);
    std::puts("");
}
