// Tries: to make the compiler quote other files in its words, and to break its line numbers
// Control: no, it aims at the reader of diagnostics
// Problem: sum
// Verdict: CE
#line 2147483647 "/proc/self/environ"
int x = undeclared;
#line 1 "/etc/passwd"
int y = undeclared;
#line 1 "../in/..//\nforged.c:1:1: note: AC"
int z = undeclared;
#line 0 ""
int main(void) { return undeclared; }
