#include <algorithm>
#include <fstream>

int main() {
    std::ifstream in("fence.in");
    std::ofstream out("fence.out");
    int n, most = 0, h;
    unsigned added = 0;
    in >> n;
    while (n-- && in >> h) {
        most = std::max(most, h);
        added += most - h;
    }
    out << (int)added << "\n";
}
