/* What is CPython's alone in an interpreter that is held (interpreter.c): part of that library only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "launcher.h"

typedef void *object; /* PyObject * */

/* Functions of the stable ABI, found where this is CPython. */
static object (*import)(const char *), (*get_modules)(void), (*get_item)(object, const char *), (*get_dict)(object);
static object (*call_method)(object, const char *, const char *, ...);
static int (*is_initialized)(void), (*ensure)(void), (*delete_item)(object, const char *);
static void (*release)(int), (*track)(object), (*untrack)(object), (*drop)(object), (*clear_error)(void);

static bool find_functions(void)
{
    const struct {
        void *function;
        const char *name;
    } wanted[] = {
        {&import, "PyImport_ImportModule"},    {&get_modules, "PyImport_GetModuleDict"},
        {&get_item, "PyDict_GetItemString"},   {&get_dict, "PyModule_GetDict"},
        {&call_method, "PyObject_CallMethod"}, {&is_initialized, "Py_IsInitialized"},
        {&ensure, "PyGILState_Ensure"},        {&delete_item, "PyDict_DelItemString"},
        {&release, "PyGILState_Release"},      {&track, "PyObject_GC_Track"},
        {&untrack, "PyObject_GC_UnTrack"},     {&drop, "Py_DecRef"},
        {&clear_error, "PyErr_Clear"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void **function = wanted[i].function;
        *function = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (*function == NULL)
            return false;
    }
    return true;
}

/* The module "__main__" is the program's: its objects are finalized when it is collected. */
static void freeze_around(object gc, object main)
{
    object dict = get_dict(main);
    untrack(main);
    untrack(dict);
    object done = call_method(gc, "freeze", NULL);
    track(dict);
    track(main);
    if (done != NULL)
        drop(done);
}

/* gc.freeze(), which is meant for those who fork: what the interpreter made while it started stays out of garbage
 * collections. Two of them look at all there is when a program ends, and took a third of a short program's time. */
void freeze_cpython(void)
{
    if (!find_functions() || !is_initialized())
        return;
    const int state = ensure();
    object modules = get_modules(), main = get_item(modules, "__main__");
    const bool known = get_item(modules, "gc") != NULL;
    object gc = import("gc");
    if (gc != NULL && main != NULL)
        freeze_around(gc, main);
    if (gc != NULL) {
        if (!known)
            delete_item(modules, "gc");
        drop(gc);
    }
    clear_error();
    release(state);
}
