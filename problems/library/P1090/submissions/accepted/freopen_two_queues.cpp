// Written for file input and output. Sorted heaps in one queue, merged ones, which come in order too, in another.
#include <algorithm>
#include <cstdio>
#include <queue>
using namespace std;

int a[10005];

int main() {
    std::freopen("fruit.in", "r", stdin);
    std::freopen("fruit.out", "w", stdout);
    int n;
    scanf("%d", &n);
    for (int i = 0; i < n; i++) scanf("%d", &a[i]);
    sort(a, a + n);
    queue<int> single, merged;
    for (int i = 0; i < n; i++) single.push(a[i]);
    auto least = [&] {
        queue<int> &from = merged.empty() || (!single.empty() && single.front() <= merged.front()) ? single : merged;
        int x = from.front();
        from.pop();
        return x;
    };
    int cost = 0;
    for (int i = 1; i < n; i++) {
        int x = least() + least();
        cost += x;
        merged.push(x);
    }
    printf("%d\n", cost);
    return 0;
}
