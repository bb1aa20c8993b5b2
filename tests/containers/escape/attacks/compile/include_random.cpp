// Tries: have the compiler read without end from a device that takes time
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: error time memory

#include "/dev/urandom"
int main() {}
