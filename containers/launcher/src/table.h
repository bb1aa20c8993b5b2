/* The table of system calls: filter.c says what is done with each, assemble.c makes a program of that. */
#ifndef JUDGE_TABLE_H
#define JUDGE_TABLE_H

#include "filter.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum action {
    NONE, /* not in the table: ENOSYS */
    ALLOW,
    REFUSE,   /* EPERM: an honest program may try it and go on */
    REPORT,   /* EPERM, and recorded: no solution has an honest use for it */
    PROCESS,  /* allowed where processes are; else EPERM: at EAGAIN Perl and shells wait, and try again */
    BUILD,    /* of tools alone: compilers set times of their output, and lock it */
    MODE,     /* likewise the mode; and of runs that share no file with another one */
    CREATE,   /* makes a file: counted where no tmpfs bounds them */
    CHANGE,   /* changes a directory */
    LOOK,     /* names a file: looked at where the listener looks at every path */
    ALLOCATE, /* EOPNOTSUPP where looking bounds the bytes of files: it is faster than any look */
    TRUNCATE,
    SELF,    /* sends a signal: to the program itself only */
    LACKING, /* EOPNOTSUPP, as where the file system knows no extended attributes */
    UNFIT,   /* EINVAL, as for a descriptor of the wrong kind */
    /* by their arguments, below: */
    CLONE,
    CLOSE_RANGE,
    EXECVEAT,
    RENAME,
    OWN,
    OPEN,
    OPENAT,
    PRCTL,
    IOCTL,
    FCNTL,
    MAP,
    SETRLIMIT,
    PRLIMIT,
    CLOCK,
    PERSONALITY,
    SOCKETPAIR,
    MOUNT, /* of helpers alone */
    SCHEDULER,
};

struct row {
    int number;
    enum action action;
    const char *name, *action_name;
};

#define ROWS_MAX 512
extern const struct row table[];
extern const size_t row_count;

#define CLONE_NAMESPACES                                                                                               \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |       \
     0x80 /* CLONE_NEWTIME */)

/* What is done with a call, in the order in which it is carried out. Ends with a return on every way. */
#define BLOCK_MAX 32
#define OWN_MAX 2
struct code {
    struct sock_filter at[BLOCK_MAX];
    unsigned short length;
    unsigned short own[OWN_MAX]; /* instructions that compare with the program's own number */
    unsigned own_count;
    struct filter_kind kind;
};

void emit_action(struct code *code, enum action action);

/* powers.c: calls that the launcher and the stub make beside those of the table, and what is done in their filter. */
#define HELPER_ROWS_MAX 32
extern const struct row helper_rows[];
extern const size_t helper_row_count;
void emit_helper(struct code *code, enum action action);

#endif
