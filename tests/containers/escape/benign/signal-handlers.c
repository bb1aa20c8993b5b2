// Shows: handlers: SIGSEGV on a stack of its own, SIGFPE, raise, sigaction, masks, sigwait
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf back;
static volatile sig_atomic_t seen;

static void handler(int number)
{
    seen++;
    siglongjmp(back, number);
}

static int deeper(volatile int *at) { return *at + deeper(&(int){*at + 1}); }

int main(void)
{
    long long a, b;
    int number;
    sigset_t waited;
    stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    if (sigsetjmp(back, 1) == 0)
        raise(SIGFPE);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    sigemptyset(&waited);
    sigaddset(&waited, SIGUSR2);
    sigprocmask(SIG_BLOCK, &waited, NULL);
    raise(SIGUSR2);
    if (sigwait(&waited, &number) != 0 || number != SIGUSR2)
        return 2;
    printf("%lld\n", seen == 3 ? a + b : deeper(&number));
    return 0;
}
