// Tries: read the answers of a test into the program by including their file as data
// Control: yes

#include <cstdio>
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
int main()
{
    std::puts(TEXT(
#include "@answer@"
        ));
}
