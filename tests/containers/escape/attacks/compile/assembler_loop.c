// Tries: endless repetition in the assembler
// Control: yes
// Limits: cpu=1s wall=8s memory=256M
// Expect: error time memory output

__asm__(".data\n.rept 100000000\n.rept 100000000\n.byte 1\n.endr\n.endr\n.text\n");
int main(void) { return 0; }
