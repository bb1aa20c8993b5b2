#include <cstdio>
#include <cstring>

#include "stack.h"

int main() {
    int calls, x;
    char what[16];
    if (std::scanf("%d", &calls) != 1)
        return 1;
    while (calls-- > 0 && std::scanf("%15s", what) == 1)
        if (std::strcmp(what, "push") == 0 && std::scanf("%d", &x) == 1)
            push(x);
        else
            std::printf("%d\n", std::strcmp(what, "pop") == 0 ? pop() : largest());
}
