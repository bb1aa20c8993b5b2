// Tries: ask the preprocessor which files this machine has
// Control: yes
// Expect: ok error

#include <cstdio>
int main()
{
#if __has_include("@file@")
    std::puts("ESCAPED __has_include sees a file outside");
#endif
#if __has_include("@answer@")
    std::puts("ESCAPED __has_include sees an answer");
#endif
    std::puts("HELD __has_include");
}
