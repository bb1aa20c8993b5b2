#include <functional>
#include <iostream>
#include <queue>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::priority_queue<int, std::vector<int>, std::greater<>> heaps;
    while (n--) {
        int a;
        std::cin >> a;
        heaps.push(a);
    }
    long long cost = 0;
    while (heaps.size() > 1) {
        int merged = heaps.top();
        heaps.pop();
        merged += heaps.top();
        heaps.pop();
        heaps.push(merged);
        cost += merged;
    }
    std::cout << cost << '\n';
}
