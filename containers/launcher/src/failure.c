/* What went wrong in a step of ours: numbers, which the driver words. */
#include <errno.h>

#include "failure.h"

struct failure failure;

int fail(int stage, int index)
{
    failure = (struct failure){stage, index, errno};
    return -1;
}
