/* sentry.c */
#ifndef JUDGE_SENTRY_H
#define JUDGE_SENTRY_H

#include "run.h"

int begin_on_sentry(struct live *live);
void begin_watch_on_sentry(struct live *live);
int measure_on_sentry(struct live *live, uint64_t now, struct held *held, uint64_t *used);
void count_files_on_sentry(struct live *live, uint64_t now);

#endif
