// Quicksort that splits at the first element, into smaller ones and the rest: quadratic on sorted and on equal numbers.
#include <iostream>
#include <list>

void quicksort(std::list<int> &a) {
    if (a.size() < 2) return;
    std::list<int> pivot, less;
    pivot.splice(pivot.begin(), a, a.begin());
    for (auto it = a.begin(); it != a.end();) {
        auto next = std::next(it);
        if (*it < pivot.front()) less.splice(less.end(), a, it);
        it = next;
    }
    quicksort(less);
    quicksort(a);
    less.splice(less.end(), pivot);
    a.splice(a.begin(), less);
}

int main() {
    std::ios::sync_with_stdio(false);
    int n, x;
    std::cin >> n;
    std::list<int> a;
    while (std::cin >> x) a.push_back(x);
    quicksort(a);
    for (int y : a) std::cout << y << ' ';
    std::cout << '\n';
}
