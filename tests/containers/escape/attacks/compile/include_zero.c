// Tries: have the compiler read without end from a device
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: error time memory

#include "/dev/zero"
int main(void) { return 0; }
