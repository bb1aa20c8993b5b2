/* What is CPython's alone in an interpreter that is held (interpreter.c): part of that library only.
 *
 * What the interpreter made while it started stays out of garbage collections, as for all who fork (gc.freeze): a
 * collection would write to each of these objects, and a fork copy their memory. All that is called is in CPython's public
 * interface. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "interpreter.h"

typedef void *object; /* PyObject * */

/* Functions of its C interface, found where this is CPython. */
#define FUNCTIONS(_)                                                                                                   \
    _(int, Py_IsInitialized, (void))                                                                                   \
    _(int, PyGILState_Ensure, (void))                                                                                  \
    _(void, PyGILState_Release, (int))                                                                                 \
    _(object, PyImport_ImportModule, (const char *))                                                                   \
    _(object, PyImport_GetModuleDict, (void))                                                                          \
    _(object, PyModule_GetDict, (object))                                                                              \
    _(object, PyDict_GetItemString, (object, const char *))                                                            \
    _(int, PyDict_DelItemString, (object, const char *))                                                               \
    _(object, PyObject_CallMethod, (object, const char *, const char *, ...))                                          \
    _(void, PyObject_GC_Track, (object))                                                                               \
    _(void, PyObject_GC_UnTrack, (object))                                                                             \
    _(void, PyErr_Clear, (void))
#define DECLARE(result, name, parameters) static result(*name) parameters = NULL;
FUNCTIONS(DECLARE)
#undef DECLARE

static bool find_names(void)
{
#define ROW(result, name, parameters) {&name, #name},
    const struct {
        void *place;
        const char *name;
    } wanted[] = {FUNCTIONS(ROW)};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void **place = wanted[i].place;
        *place = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (*place == NULL)
            return false;
    }
    return true;
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
    object modules = PyImport_GetModuleDict(), main = PyDict_GetItemString(modules, "__main__");
    const bool known = PyDict_GetItemString(modules, "gc") != NULL;
    object gc = PyImport_ImportModule("gc");
    if (gc != NULL && main != NULL)
        freeze_around(gc, main);
    if (gc != NULL && !known) /* a program has yet to ask for it */
        PyDict_DelItemString(modules, "gc");
    PyErr_Clear();
    PyGILState_Release(state);
    malloc_trim(0); /* a run would copy what is left of the import */
}
