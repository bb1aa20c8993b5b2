// Tries: an executable of many gigabytes that are cheap to ask for, by the assembler's .fill
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: error time memory output

__asm__(".data\n.fill 0x40000000, 8, 0x41\n.text\n");
int main(void) { return 0; }
