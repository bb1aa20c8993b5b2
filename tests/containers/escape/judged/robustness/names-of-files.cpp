// Tries: to make the compiler read, or name, what is not its source
// Control: no, the judge names the file
// Problem: sum
// Verdict: CE
#include "/dev/stdin"
#include "../in/solution.cpp/../../x"
#include __FILE__
#include "/proc/self/fd/0"
int main() {}
