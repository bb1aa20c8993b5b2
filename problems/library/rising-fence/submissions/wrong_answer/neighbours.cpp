// Compares each post with its neighbour as it was.
#include <fstream>

int main() {
    std::ifstream in("fence.in");
    std::ofstream out("fence.out");
    long long n, added = 0, before = 0, h;
    in >> n;
    while (n-- && in >> h) {
        added += before > h ? before - h : 0;
        before = h;
    }
    out << added << "\n";
}
