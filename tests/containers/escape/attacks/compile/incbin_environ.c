// Tries: put the environment of the compiler's ancestors into the executable
// Control: no, outside the sandbox no ancestor of the compiler holds a canary
// Expect: ok error

__asm__(".section .rodata\nstolen:\n"
        ".incbin \"/proc/self/environ\"\n.incbin \"/proc/1/environ\"\n.byte 0\n.text\n");
extern const char stolen[];
int puts(const char *);
int main(void) { return puts(stolen) < 0; }
