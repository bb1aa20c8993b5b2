// Tries: put an answer of the judge into the executable by the assembler's .incbin
// Control: yes

__asm__(".section .rodata\nstolen: .incbin \"@answer@\"\n.byte 0\n.text\n");
extern const char stolen[];
int puts(const char *);
int main(void) { return puts(stolen) < 0; }
