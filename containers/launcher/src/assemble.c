/* The classic BPF program of a filter: a binary search over call numbers, without an instruction too many. The kernel
 * copies, checks, emulates and compiles it for every run, and a linear one of 300 calls costs as much as the run itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.h"
#include "powers.h"
#include "table.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the system call table is written for x86-64 and aarch64"
#endif

#define ACTIONS (SCHEDULER + 1)

/* The program while it is written, from its end: jumps lead forward, so all that they lead to is known. */
#define ROOM 1024
struct writer {
    struct sock_filter *at; /* [ROOM] */
    int first;              /* what is written is at[first..ROOM); negative: there was no room */
    struct code blocks[ACTIONS];
    enum action same[ACTIONS]; /* the first action that does the same */
    int entry[ACTIONS];        /* where it was written last; 0: nowhere */
    struct filter *filter;
};

static int put(struct writer *writer, const struct sock_filter *instructions, int count)
{
    writer->first -= count;
    if (writer->first > 0)
        memcpy(writer->at + writer->first, instructions, (size_t)count * sizeof *instructions);
    return writer->first;
}

static int put_block(struct writer *writer, enum action action)
{
    const struct code *block = &writer->blocks[action];
    struct filter *filter = writer->filter;
    const int entry = put(writer, block->at, block->length);
    for (unsigned i = 0; i < block->own_count; i++)
        if (filter->own_count < COUNT(filter->own))
            filter->own[filter->own_count++] = (unsigned short)(entry + block->own[i]);
        else
            writer->first = -1;
    return writer->entry[action] = entry;
}

/* Where a conditional jump that is written next can go on to, for what lies at `entry`. It reaches 255 instructions, an
 * unconditional one anywhere. `ahead`: how many more are written before it. */
static int within_reach(struct writer *writer, int entry, int ahead)
{
    if (entry - writer->first + ahead <= UINT8_MAX)
        return entry;
    const struct sock_filter jump = {BPF_JMP | BPF_JA, 0, 0, (uint32_t)(entry - writer->first)};
    return put(writer, &jump, 1);
}

/* A run of call numbers with one action, from `first` up to the next range. */
struct range {
    uint32_t first;
    enum action action;
};

static int by_number(const void *a, const void *b)
{
    return ((const struct row *)a)->number - ((const struct row *)b)->number;
}

static void add_range(struct range *out, size_t *count, uint32_t first, enum action action)
{
    if (*count > 0 && out[*count - 1].first == first)
        (*count)--;
    if (*count == 0 || out[*count - 1].action != action)
        out[(*count)++] = (struct range){first, action};
}

/* The table; of helpers with their own rows in place of its, or beside them. */
static size_t copy_rows(struct row *out, bool helper)
{
    size_t count = row_count;
    memcpy(out, table, row_count * sizeof *out);
    for (size_t i = 0; helper && i < helper_row_count; i++) {
        size_t at = 0;
        while (at < count && out[at].number != helper_rows[i].number)
            at++;
        out[at] = helper_rows[i];
        count += at == count;
    }
    return count;
}

static size_t make_ranges(const struct writer *writer, bool helper, struct range *out)
{
    struct row rows[ROWS_MAX + HELPER_ROWS_MAX];
    size_t count = 0;
    const size_t all = copy_rows(rows, helper);
    qsort(rows, all, sizeof *rows, by_number);
    add_range(out, &count, 0, writer->same[NONE]);
    for (size_t i = 0; i < all; i++) {
        add_range(out, &count, (uint32_t)rows[i].number, writer->same[rows[i].action]);
        add_range(out, &count, (uint32_t)rows[i].number + 1, writer->same[NONE]);
    }
    return count;
}

/* ranges[0..count) as a search tree: right half if number >= its first. Where it is. */
static int put_tree(struct writer *writer, const struct range *ranges, size_t count)
{
    if (count == 1) {
        const int entry = writer->entry[ranges[0].action];
        const bool near = entry != 0 && entry - writer->first < UINT8_MAX;
        return near ? entry : put_block(writer, ranges[0].action);
    }
    const size_t half = count / 2;
    int right = put_tree(writer, ranges + half, count - half);
    int left = put_tree(writer, ranges, half);
    right = within_reach(writer, right, 1);
    left = within_reach(writer, left, 0);
    const struct sock_filter branch = {BPF_JMP | BPF_JGE | BPF_K, (uint8_t)(right - writer->first),
                                       (uint8_t)(left - writer->first), ranges[half].first};
    return put(writer, &branch, 1);
}

static bool make_blocks(struct writer *writer, struct filter_kind kind)
{
    for (int action = 0; action < ACTIONS; action++) {
        struct code *block = &writer->blocks[action];
        *block = (struct code){.kind = kind};
        (kind.helper ? emit_helper : emit_action)(block, (enum action)action);
        if (block->length == 0 || block->length > BLOCK_MAX)
            return false;
        int same = 0;
        while (writer->blocks[same].length != block->length ||
               memcmp(writer->blocks[same].at, block->at, block->length * sizeof *block->at) != 0)
            same++;
        writer->same[action] = (enum action)same;
    }
    return true;
}

int build_filter(struct filter *out, struct filter_kind kind)
{
    static struct sock_filter space[FILTERS + 1][ROOM];
    static struct writer writer;
    struct range ranges[2 * (ROWS_MAX + HELPER_ROWS_MAX) + 1];
    writer = (struct writer){
        .at = space[kind.helper ? FILTERS : kind.processes + kind.modes + kind.tool], .first = ROOM, .filter = out};
    out->own_count = 0;
    bool made = make_blocks(&writer, kind);
    if (made) {
        const int tree = put_tree(&writer, ranges, make_ranges(&writer, kind.helper, ranges));
        /* Another instruction set, e.g. 32-bit: its numbers mean other calls. x32 numbers (bit 30) fall into the last
         * range: ENOSYS. */
        const struct sock_filter head[] = {
            {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch)},
            {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH},
            {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
            {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        };
        made = tree == writer.first && put(&writer, head, COUNT(head)) > 0;
    }
    if (!made) {
        errno = E2BIG;
        return fail(STAGE_SECCOMP, 0);
    }
    for (unsigned i = 0; i < out->own_count; i++)
        out->own[i] = (unsigned short)(out->own[i] - writer.first);
    out->program = (struct sock_fprog){(unsigned short)(ROOM - writer.first), writer.at + writer.first};
    return 0;
}

/* Not on gVisor: its kernel is the slot's own. */
int limit_calls(const struct slot *slot)
{
    struct filter filter;
    if (slot->sentry)
        return 0;
    const struct filter_kind kind = {.helper = true, .files = !(slot->layers & LAYER_MOUNT)};
    if (build_filter(&filter, kind) < 0)
        return -1;
    /* Kernels that hold back speculation for a filter's sake (4.17 to 5.15) do so for programs, by theirs. */
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter.program) < 0)
        TRY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter.program), STAGE_FILTER, 1);
    return 0;
}
