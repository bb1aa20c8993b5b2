// Tries: to learn from the preprocessor where and by whom it is compiled
// Control: yes
// Problem: sum
// Verdict: WA
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char *const facts[] = {__FILE__, __BASE_FILE__};
    for (int i = 0; i < 2; i++)
        if (facts[i][0] == '/')
            printf("ESCAPED it was compiled as %s\n", facts[i]);
#if __has_include("../in/1.ans") || __has_include("1.ans") || __has_include("answer")
    puts("ESCAPED the answer lies beside the source");
#endif
    puts("0");
    return 0;
}
