// Forgets that the largest number may be there twice.
#include "stack.h"

#include <vector>

static std::vector<int> stack, most;

void push(int x) {
    stack.push_back(x);
    if (most.empty() || x > most.back())
        most.push_back(x);
}

int pop() {
    const int top = stack.back();
    stack.pop_back();
    if (top == most.back() && most.size() > 1)
        most.pop_back();
    return top;
}

int largest() { return most.back(); }
