/* What is CPython's alone in an interpreter that is held (interpreter.c): part of that library only.
 *
 * What the interpreter made while it started stays out of garbage collections, as for all who fork (gc.freeze). And a
 * short program may end before the interpreter takes itself apart: early_end.py says when, and why. All that is called is
 * in CPython's public interface. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unwind.h>

#include "interpreter.h"

typedef void *object; /* PyObject * */

struct method { /* PyMethodDef */
    const char *name;
    object (*function)(object, object);
    int flags;
    const char *text;
};
#define ONE_ARGUMENT 0x8

/* Functions and objects of its C interface, found where this is CPython. */
#define FUNCTIONS(_)                                                                                                   \
    _(int, Py_IsInitialized, (void))                                                                                   \
    _(int, Py_RunMain, (void))                                                                                         \
    _(void, Py_Exit, (int))                                                                                            \
    _(int, PyGILState_Ensure, (void))                                                                                  \
    _(void, PyGILState_Release, (int))                                                                                 \
    _(object, PyImport_ImportModule, (const char *))                                                                   \
    _(object, PyImport_GetModuleDict, (void))                                                                          \
    _(object, PyModule_GetDict, (object))                                                                              \
    _(object, PyDict_New, (void))                                                                                      \
    _(object, PyDict_GetItemString, (object, const char *))                                                            \
    _(int, PyDict_SetItemString, (object, const char *, object))                                                       \
    _(object, PyObject_CallMethod, (object, const char *, const char *, ...))                                          \
    _(object, PyObject_CallNoArgs, (object))                                                                           \
    _(void, PyObject_GC_Track, (object))                                                                               \
    _(void, PyObject_GC_UnTrack, (object))                                                                             \
    _(object, PyCFunction_NewEx, (struct method *, object, object))                                                    \
    _(object, PySys_GetObject, (const char *))                                                                         \
    _(void, PyErr_Clear, (void))                                                                                       \
    _(void, Py_IncRef, (object))                                                                                       \
    _(void, Py_DecRef, (object)) /* also of NULL */
#define OBJECTS(_)                                                                                                     \
    _(_Py_NoneStruct)                                                                                                  \
    _(_Py_TrueStruct)
#define DECLARE(result, name, parameters) static KEPT result(*name) parameters = NULL;
FUNCTIONS(DECLARE)
#undef DECLARE
#define DECLARE(name) static KEPT object name = NULL;
OBJECTS(DECLARE)
#undef DECLARE

static bool find_names(void)
{
#define ROW(name, ...) {&name, #name},
#define FUNCTION_ROW(result, name, parameters) ROW(name)
    const struct {
        void *place;
        const char *name;
    } wanted[] = {FUNCTIONS(FUNCTION_ROW) OBJECTS(ROW)};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void **place = wanted[i].place;
        *place = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (*place == NULL)
            return false;
    }
    return true;
}

static KEPT bool early = false;               /* programs may end early */
static KEPT unsigned long long libraries = 0; /* loaded before the program */

static int see_libraries(struct dl_phdr_info *info, size_t bytes, void *count)
{
    (void)bytes;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

static unsigned long long count_libraries(void)
{
    unsigned long long count = 0;
    dl_iterate_phdr(see_libraries, &count);
    return count;
}

/* The stack's functions: sys.exit ends in Py_Exit, whose status nobody tells. */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *data)
{
    bool *ran_through = data;
    const uintptr_t function = _Unwind_GetRegionStart(frame);
    *ran_through = function == (uintptr_t)Py_RunMain;
    return *ran_through || function == (uintptr_t)Py_Exit ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static bool ran_through(void)
{
    bool answer = false;
    _Unwind_Backtrace(look_at_frame, &answer);
    return answer;
}

static bool is_none(object made)
{
    Py_DecRef(made);
    return made == _Py_NoneStruct;
}

/* A debugger or a profiler that the program brought would see early_end.py at work. */
static bool is_watched(void)
{
    object sys = PyImport_ImportModule("sys"), monitoring = PySys_GetObject("monitoring"); /* since 3.12 */
    bool watched =
        !is_none(PyObject_CallMethod(sys, "gettrace", NULL)) || !is_none(PyObject_CallMethod(sys, "getprofile", NULL));
    for (int tool = 0; monitoring != NULL && tool < 6; tool++)
        watched = !is_none(PyObject_CallMethod(monitoring, "get_tool", "i", tool)) || watched;
    Py_DecRef(sys);
    return watched;
}

/* The last of the atexit functions. */
static object end_program(object self, object shows_nothing)
{
    (void)self;
    if (early && ran_through() && count_libraries() == libraries && !is_watched() &&
        PyObject_CallNoArgs(shows_nothing) == _Py_TrueStruct)
        exit(0);
    PyErr_Clear();
    Py_IncRef(_Py_NoneStruct);
    return _Py_NoneStruct;
}

void end_cpython_as_ever(void) { early = false; }

/* The text of early_end.py. */
extern const char early_end[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
        "early_end: .incbin \"early_end.py\"\n"
        ".byte 0\n"
        ".popsection\n");

/* The names of early_end.py. */
static object execute_text(void)
{
    object names = PyDict_New(), builtins = PyImport_ImportModule("builtins");
    const bool made = names != NULL && builtins != NULL;
    return made && PyObject_CallMethod(builtins, "exec", "sO", early_end, names) != NULL ? names : NULL;
}

static bool end_early(object names)
{
    static KEPT struct method method = {"end", end_program, ONE_ARGUMENT, NULL};
    object end = PyCFunction_NewEx(&method, NULL, NULL), atexit = PyDict_GetItemString(names, "atexit");
    if (end == NULL)
        return false;
    libraries = count_libraries();
    return PyObject_CallMethod(atexit, "register", "OO", end, PyDict_GetItemString(names, "shows_nothing")) != NULL;
}

/* The module "__main__" is the program's: its objects are finalized when it is collected. */
static void freeze_around(object gc, object main)
{
    object dict = PyModule_GetDict(main);
    PyObject_GC_UnTrack(main);
    PyObject_GC_UnTrack(dict);
    PyObject_CallMethod(gc, "freeze", NULL);
    PyObject_GC_Track(dict);
    PyObject_GC_Track(main);
}

/* What is made here is never given back. */
void prepare_cpython(void)
{
    if (!find_names() || !Py_IsInitialized())
        return;
    const int state = PyGILState_Ensure();
    object main = PyDict_GetItemString(PyImport_GetModuleDict(), "__main__"), names = execute_text();
    early = names != NULL && end_early(names);
    if (names != NULL && main != NULL)
        freeze_around(PyDict_GetItemString(names, "gc"), main);
    PyErr_Clear();
    PyGILState_Release(state);
    malloc_trim(0); /* what the compiler of that text used: a run would copy what is left of it */
}
