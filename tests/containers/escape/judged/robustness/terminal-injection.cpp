// Tries: to drive the terminal of whoever reads the compiler's words
// Control: no, what a terminal does cannot be seen by a test
// Problem: sum
// Verdict: CE
#error "]0;owned[2J[31mESC ‮31m"
#warning "[8m"
int main() { return 0; }
