// Tries: to end with exit code 0 before main, having printed nothing
// Control: yes
// Problem: words
// Verdict: WA
#include <unistd.h>

struct Early {
    Early() { _exit(0); }
} early;

int main() {}
