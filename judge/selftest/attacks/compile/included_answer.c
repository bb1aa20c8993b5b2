// Tries: has the compiler read an answer aloud
// Control: yes

#include "@answer@"
int main(void) { return 0; }
