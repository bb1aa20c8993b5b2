// Tries: put an answer into the program by #embed, where the compiler knows it
// Control: no, the compiler of this machine may be too old to know #embed
// Expect: ok error

#include <cstdio>
static const char stolen[] = {
#if defined __has_embed
#embed "@answer@"
#else
    'H', 'E', 'L', 'D', ' ', 'o', 'l', 'd', '\n',
#endif
    0};
int main() { std::puts(stolen); }
