// Tries: read a secret into the diagnostics by including a file that is not a source
// Control: yes

#include "@file@"
int main(void) { return 0; }
