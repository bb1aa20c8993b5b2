/* filter.c and assemble.c: seccomp programs, made of the table of system calls once; for each run the program's own number is put in. */
#ifndef JUDGE_FILTER_H
#define JUDGE_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a filter is to do where tiers and kinds of runs differ. */
struct filter_kind {
    bool helper;    /* not of a run: of the launcher and the stub */
    bool processes; /* fork and its family are allowed */
    bool tool;      /* modes, times and locks are allowed: linkers and build tools need them */
    bool modes;     /* modes are allowed: what the run compiles it executes */
    bool notify;    /* there is a listener */
    bool files;     /* the listener counts the creation of files: no tmpfs does */
    bool threads;   /* the listener counts tasks: neither a cgroup nor the kernel's count of a user's does */
    bool truncates; /* truncate is walled like writing: Landlock knows it since its third version */
    bool shared;    /* the listener counts shared memory: no cgroup does */
    bool vetted;    /* the listener looks at every path that is opened or changed */
    bool open;      /* files of the judge's own user lie open to it: no user of its own, no root of its own */
    bool signals;   /* the listener looks at whom a compiler signals: no pid namespace hides the others */
    uint64_t pass;  /* who shows it executes without a look */
};

struct filter {
    struct sock_fprog program;
    unsigned short own[8]; /* instructions that compare with the program's own number */
    unsigned own_count;
};

int build_filter(struct filter *out, struct filter_kind kind);
void put_own_number(struct filter *filter, pid_t pid);
enum counted {
    COUNT_NONE,
    COUNT_NAME /* of a file that is not made */,
    COUNT_FILE,
    COUNT_TASK,
    COUNT_SHARED,
    COUNT_SIGNAL
};
enum counted counted_as(int call, const unsigned long long *arguments);
int print_table(void); /* number, name and action of every row: for people, and for the driver's reports */

#endif
