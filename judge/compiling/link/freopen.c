/*
 * Linked into every C and C++ submission with -Wl,--wrap=freopen,--wrap=freopen64: redirecting a standard stream does
 * nothing, so that a program written for file input is judged on stdin and stdout; any other stream is reopened as
 * asked.
 *
 * The linker resolves every reference of the program to freopen here, however the source spelled it (std::, a macro, a
 * function pointer, a splice), and leaves comments, strings and line numbers alone. freopen64 is what glibc's headers
 * turn freopen into under _FILE_OFFSET_BITS=64. Each wrapper calls its own original: a static link with lld 14 leaves
 * __real_X null, without a word, unless the program itself names X.
 */
#include <stdio.h>

#define WRAP(name)                                                                                                     \
    FILE *__real_##name(const char *path, const char *mode, FILE *stream);                                             \
    FILE *__wrap_##name(const char *path, const char *mode, FILE *stream);                                             \
    FILE *__wrap_##name(const char *path, const char *mode, FILE *stream)                                              \
    {                                                                                                                  \
        if (stream == stdin || stream == stdout || stream == stderr)                                                   \
            return stream;                                                                                             \
        return __real_##name(path, mode, stream);                                                                      \
    }

#ifdef __cplusplus
extern "C" {
#endif

WRAP(freopen)
#ifdef __GLIBC__
WRAP(freopen64)
#endif

#ifdef __cplusplus
}
#endif
