; What the tests ask of most languages, as far as one writes it in assembly: MODE N.
global main
extern scanf, printf, malloc, memset, exit, puts, abort, fprintf, stderr

section .rodata
in_format db "%15s %ld", 0
word_thrown db "thrown", 10, 0

section .bss
mode resb 16
n resq 1

section .text
main:
    push rbp
    mov rdi, in_format
    mov rsi, mode
    mov rdx, n
    xor eax, eax
    call scanf
    mov al, [mode]
    cmp al, 'h'
    je hoard
    cmp al, 's'
    je spin
    cmp al, 't'
    je throw
    cmp al, 'e'
    je leave_it
    xor eax, eax
    pop rbp
    ret
hoard:
    mov edi, 1000000
    call malloc
    test rax, rax
    jz throw
    mov rdi, rax
    mov esi, 1
    mov edx, 1000000
    call memset
    jmp hoard
spin:
    jmp spin
throw:
    mov rdi, [stderr]
    mov rsi, word_thrown
    xor eax, eax
    call fprintf
    call abort
leave_it:
    mov rdi, [n]
    call exit
