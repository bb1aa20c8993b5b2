#include <iostream>
#include <vector>
// Tries every ruler, the shorter ones first.
static int n;
static std::vector<int> marks{0};
static bool used[1000];
static bool fill(int length)
{
    if ((int)marks.size() == n)
        return marks.back() == length;
    for (int x = marks.back() + 1; x <= length; x++) {
        std::vector<int> added;
        bool fits = true;
        for (int mark : marks)
            if (used[x - mark]) {
                fits = false;
                break;
            }
        if (!fits)
            continue;
        for (int mark : marks) {
            used[x - mark] = true;
            added.push_back(x - mark);
        }
        marks.push_back(x);
        if (fill(length))
            return true;
        marks.pop_back();
        for (int distance : added)
            used[distance] = false;
    }
    return false;
}
int main()
{
    std::cin >> n;
    for (int length = n - 1;; length++)
        if (fill(length))
            break;
    for (int mark : marks)
        std::cout << mark << ' ';
    std::cout << '\n';
}
