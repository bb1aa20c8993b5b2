/* gVisor's kernel, which runs the slot alone, has a launcher of its own: these sources, compiled with GVISOR, and
 * ../gvisor/sentry.c, which says what is other there. The launcher for Linux holds nothing of it. */
#pragma once

#include "run.h"

#ifdef GVISOR
#define ON_GVISOR true
#else
#define ON_GVISOR false
#endif

int probe_sentry(void);
int open_cpu_on_sentry(void);
int cover_first_process(void);
int begin_on_sentry(struct live *live);
void begin_watch_on_sentry(struct live *live);
int measure_on_sentry(struct live *live, uint64_t now, struct held *held, uint64_t *used);
void count_files_on_sentry(struct live *live, uint64_t now);
void add_usage_of_all(struct live *live);
