/* interpreter.c, and what helps it: cpython.c and thread.c. */
#pragma once

/* How main.c starts an interpreter for interpreter.c. */
#define INTERPRETER_SOCKET 3
#define INTERPRETER_LIBRARY 4
#define INTERPRETER_PRELOAD "LD_PRELOAD=/proc/self/fd/4"

/* In that library: memory that a run goes on with, when what came before it is forgotten. */
#define KEPT __attribute__((section(".data")))

/* thread.c */
int *find_thread_number(int *cleared);
void tell_stack_by(int proc); /* -1: as ever */

/* cpython.c */
void prepare_cpython(void);
const char *run_by_cpython(const char *path); /* the path, where it is not CPython's program */
