// Prints the answers of generated tests: submissions hold no program of their own.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

int main() {
    int calls, x;
    char what[16];
    std::vector<int> numbers, most;
    std::scanf("%d", &calls);
    while (calls-- > 0 && std::scanf("%15s", what) == 1)
        if (std::strcmp(what, "push") == 0 && std::scanf("%d", &x) == 1) {
            numbers.push_back(x);
            most.push_back(most.empty() ? x : std::max(x, most.back()));
        } else {
            const bool pops = std::strcmp(what, "pop") == 0;
            std::printf("%d\n", pops ? numbers.back() : most.back());
            if (pops) {
                numbers.pop_back();
                most.pop_back();
            }
        }
}
