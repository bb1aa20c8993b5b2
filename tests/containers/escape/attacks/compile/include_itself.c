// Tries: a program that includes itself twice at every level
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: error time memory output

#include "solution.c"
#include "solution.c"
#ifndef DONE
#define DONE
int main(void) { return 0; }
#endif
