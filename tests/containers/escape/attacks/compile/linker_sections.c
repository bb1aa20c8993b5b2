// Tries: tell the linker by sections of the object to read a file, to put it into the program and to say what is in it
// Control: no, linkers differ in which sections they obey
// Expect: ok error

__asm__(".section .deplibs,\"MS\",@0x6fff4c04,1\n.asciz \"@file@\"\n"
        ".section .linker-options,\"\",@0x6fff4c01\n.asciz \"lib\"\n.asciz \"@answer@\"\n"
        ".section .gnu.warning.puts,\"\",@progbits\n.ascii \"INPUT(@file@)\"\n.text\n");
int puts(const char *);
int main(void) { return puts("HELD it was linked") < 0; }
