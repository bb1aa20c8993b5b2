#include "stack.h"

#include <algorithm>
#include <utility>
#include <vector>

static std::vector<std::pair<int, int>> stack;  // each number, and the largest up to it

void push(int x) { stack.push_back({x, stack.empty() ? x : std::max(x, stack.back().second)}); }

int pop() {
    const int top = stack.back().first;
    stack.pop_back();
    return top;
}

int largest() { return stack.back().second; }
