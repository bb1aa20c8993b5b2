// Tries: to break a judge that reads the compiler's words as text
// Control: yes
// Problem: sum
// Verdict: CE
#error "ÿþÀ€í €"
int main() { return undeclared; }
