; With the C library: scanf and printf.
global main
extern scanf, printf

section .rodata
in_format db "%ld %ld", 0
out_format db "%ld", 10, 0

section .bss
a resq 1
b resq 1

section .text
main:
    sub rsp, 8
    mov rdi, in_format
    mov rsi, a
    mov rdx, b
    xor eax, eax
    call scanf
    mov rdi, out_format
    mov rsi, [a]
    add rsi, [b]
    xor eax, eax
    call printf
    xor eax, eax
    add rsp, 8
    ret
