// Tries: have the compiler wait for input that never comes
// Control: no, the shell decides what the standard input of a compiler is
// Expect: ok error

#include "/dev/stdin"
#include "/proc/self/fd/0"
int main(void) { return 0; }
