#include <algorithm>
#include <fstream>

int main() {
    std::ifstream in("fence.in");
    std::ofstream out("fence.out");
    int n;
    in >> n;
    long long added = 0, most = 0, h;
    while (n-- && in >> h) {
        most = std::max(most, h);
        added += most - h;
    }
    out << added << "\n";
}
