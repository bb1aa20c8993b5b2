// The end of a range is past its last element.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n;
    std::cin >> n;
    std::vector<int> a(n);
    for (int &x : a) std::cin >> x;
    std::sort(a.begin(), a.end() - 1);
    for (int x : a) std::cout << x << ' ';
    std::cout << '\n';
}
