// Tries: an executable of many gigabytes
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: error time memory output

char big[8L << 30] = {1};
int main(void) { return big[5]; }
