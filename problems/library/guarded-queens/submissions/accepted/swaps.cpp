#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>
// A queen in each row and column; two rows swap their queens while fewer then clash with diagonals and holes.
int main()
{
    int n;
    std::cin >> n;
    std::vector<std::string> board(n);
    for (auto &row : board)
        std::cin >> row;
    std::mt19937 random(1);
    std::vector<int> queens(n), up(2 * n), down(2 * n);
    auto add = [&](int row, int by) { up[row + queens[row]] += by, down[row - queens[row] + n] += by; };
    auto bad = [&](int row) {
        return 2 * (board[row][queens[row]] == '#') + (up[row + queens[row]] > 1) + (down[row - queens[row] + n] > 1);
    };
    for (;;) {
        std::iota(queens.begin(), queens.end(), 0);
        std::shuffle(queens.begin(), queens.end(), random);
        std::fill(up.begin(), up.end(), 0), std::fill(down.begin(), down.end(), 0);
        for (int row = 0; row < n; row++)
            add(row, 1);
        for (int step = 0; step < 2000 * n; step++) {
            int a = 0, seen = 0;
            for (int row = 0; row < n; row++)
                if (bad(row) && random() % ++seen == 0)
                    a = row;
            if (!seen) {
                for (int row = 0; row < n; row++)
                    std::cout << queens[row] + 1 << (row + 1 < n ? ' ' : '\n');
                return 0;
            }
            int best = 1 << 30, with = a;
            for (int b = 0; b < n; b++) {
                if (b == a)
                    continue;
                int before = bad(a) + bad(b);
                add(a, -1), add(b, -1);
                std::swap(queens[a], queens[b]);
                add(a, 1), add(b, 1);
                int now = (bad(a) + bad(b) - before) * 8 + int(random() % 8);
                add(a, -1), add(b, -1);
                std::swap(queens[a], queens[b]);
                add(a, 1), add(b, 1);
                if (now < best)
                    best = now, with = b;
            }
            if (with == a || (best > 16 && random() % 4))
                continue;
            add(a, -1), add(with, -1);
            std::swap(queens[a], queens[with]);
            add(a, 1), add(with, 1);
        }
    }
}
