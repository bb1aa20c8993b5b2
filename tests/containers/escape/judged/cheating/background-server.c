// Tries: to leave a process behind that answers the next tests, outside the clock of these
// Control: yes
// Problem: sum
// Tests: all
// Verdict: WA
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where every later run can find it; the system's places only where it is judged. */
static const char *const places[] = {"asked", "/tmp/judge-asked", "/dev/shm/judge-asked"};

static void serve(const char *place)
{
    char answers[64];
    snprintf(answers, sizeof answers, "%s.reply", place);
    for (int waited = 0; waited < 300; waited++) {
        FILE *question = fopen(place, "r");
        long long a, b;
        if (question != NULL && fscanf(question, "%lld%lld", &a, &b) == 2) {
            FILE *reply = fopen(answers, "w");
            if (reply != NULL) {
                fprintf(reply, "ESCAPED %lld\n", a + b);
                fclose(reply);
            }
            unlink(place);
        }
        if (question != NULL)
            fclose(question);
        usleep(10000);
    }
}

int main(void)
{
    long long a, b;
    char line[256];
    if (scanf("%lld%lld", &a, &b) != 2)
        return 1;
    signal(SIGHUP, SIG_IGN);
    for (unsigned i = 0; i < (getenv("ONLINE_JUDGE") != NULL ? sizeof places / sizeof *places : 1); i++) {
        FILE *question = fopen(places[i], "w");
        if (question == NULL)
            continue;
        fprintf(question, "%lld %lld\n", a, b);
        fclose(question);
        if (fork() == 0) {
            close(0);
            close(1);
            close(2);
            setsid();
            if (fork() == 0)
                serve(places[i]);
            _exit(0);
        }
        usleep(100000);
        snprintf(line, sizeof line, "%s.reply", places[i]);
        FILE *reply = fopen(line, "r");
        if (reply != NULL && fgets(line, sizeof line, reply) != NULL) {
            fputs(line, stdout);
            return 0;
        }
    }
    puts("0");
    return 0;
}
