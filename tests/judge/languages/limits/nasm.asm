; "memory N": N MiB, each page written; "depth N": N calls; "fail 1": abort.
global main
extern scanf, printf, malloc, memset, abort

section .rodata
in_format db "%15s %ld", 0
out_format db "done %ld", 10, 0

section .bss
what resb 16
number resq 1

section .text
depth:                          ; the number of calls below, in rax
    push rdi
    xor eax, eax
    test rdi, rdi
    jz .end
    dec rdi
    call depth
    inc rax
.end:
    pop rdi
    ret

main:
    push rbx
    mov rdi, in_format
    mov rsi, what
    mov rdx, number
    xor eax, eax
    call scanf
    mov rbx, [number]
    cmp byte [what], 'm'
    je memory
    cmp byte [what], 'd'
    jne abort
    mov rdi, rbx
    call depth
    mov rbx, rax
    jmp done
memory:
    mov rdi, rbx
    shl rdi, 20
    call malloc
    test rax, rax
    jz abort
    mov rdi, rax
    mov esi, 1
    mov rdx, rbx
    shl rdx, 20
    call memset
done:
    mov rdi, out_format
    mov rsi, rbx
    xor eax, eax
    call printf
    xor eax, eax
    pop rbx
    ret
