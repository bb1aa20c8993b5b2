#include <iostream>
#include <string>
#include <vector>
// Row by row, the first column that fits.
static int n;
static std::vector<std::string> board;
static std::vector<int> queens, up, down, column;
static bool place(int row)
{
    if (row == n)
        return true;
    for (int c = 0; c < n; c++) {
        if (board[row][c] == '#' || column[c] || up[row + c] || down[row - c + n])
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
    board.resize(n), queens.resize(n), up.resize(2 * n), down.resize(2 * n), column.resize(n);
    for (auto &row : board)
        std::cin >> row;
    place(0);
    for (int row = 0; row < n; row++)
        std::cout << queens[row] + 1 << ' ';
    std::cout << '\n';
}
