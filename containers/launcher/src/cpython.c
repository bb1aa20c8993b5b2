/* What is CPython's alone in an interpreter that is held (interpreter.c): part of that library only.
 *
 * What the interpreter made while it started stays out of garbage collections, as for all who fork (gc.freeze): a
 * collection would write to each of these objects, and a fork copy their memory. Nor is it taken apart at the end, where
 * nobody can tell (early_end.py). All that is called is in CPython's public interface. */
#define _GNU_SOURCE
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "interpreter.h"

typedef void *object; /* PyObject * */

/* NULL in any other program. */
#define PUBLIC __attribute__((weak)) extern
PUBLIC int Py_IsInitialized(void), Py_FinalizeEx(void), PyGILState_Ensure(void);
PUBLIC int PyErr_ExceptionMatches(object);
PUBLIC long PyLong_AsLong(object);
PUBLIC object PyExc_SystemExit, PyExc_KeyboardInterrupt, PySys_GetObject(const char *);
PUBLIC object PyRun_FileExFlags(FILE *, const char *, int, object, object, int, void *);
PUBLIC object PyImport_ImportModule(const char *), PyImport_AddModule(const char *), PyModule_GetDict(object);
PUBLIC object PyEval_GetFrame(void), PyDict_New(void), PyDict_GetItemString(object, const char *);
PUBLIC object PyObject_CallMethod(object, const char *, const char *, ...);
PUBLIC object PyObject_CallFunction(object, const char *, ...);
PUBLIC void PyGILState_Release(int), PyObject_GC_Track(object), PyObject_GC_UnTrack(object);
PUBLIC void PyErr_Clear(void), PyErr_Print(void), PyErr_Fetch(object *, object *, object *);
PUBLIC void PyErr_Restore(object, object, object);

/* Executed before it is held. */
extern const char ahead[] __attribute__((visibility("hidden"))), early_end[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
        "ahead: .incbin \"ahead.py\"; .byte 0\n"
        "early_end: .incbin \"early_end.py\"; .byte 0\n"
        ".popsection\n");
static KEPT object names = NULL; /* of early_end.py */
enum { FILE_INPUT = 257 };       /* Py_file_input */

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
    if (PyRun_FileExFlags == NULL || !Py_IsInitialized())
        return;
    const int state = PyGILState_Ensure();
    object main = PyImport_AddModule("__main__"), made = PyDict_New(), builtins = PyImport_ImportModule("builtins");
    if (PyObject_CallMethod(builtins, "exec", "sO", ahead, PyDict_New()) != NULL &&
        PyObject_CallMethod(builtins, "exec", "sO", early_end, made) != NULL) {
        freeze_around(PyDict_GetItemString(made, "gc"), main);
        names = made;
    }
    PyErr_Clear();
    PyGILState_Release(state);
    malloc_trim(0); /* what the compiler of that text used: a run would copy what is left of it */
}

/* What it opens by the C library while no code runs is its program: code may make it look at a file, too, for a line of a
 * message. The program is run as CPython would itself, but for the end. */
const char *run_by_cpython(const char *path)
{
    object known = names, kind = NULL, value = NULL, trace = NULL;
    FILE *program;
    if (known == NULL)
        return path;
    const int state = PyGILState_Ensure();
    if (PyEval_GetFrame() != NULL) {
        PyGILState_Release(state);
        return path;
    }
    names = NULL;
    if ((program = fopen(path, "rb")) == NULL) {
        PyGILState_Release(state);
        return path;
    }
    object main = PyModule_GetDict(PyImport_AddModule("__main__"));
    PyObject_CallFunction(PyDict_GetItemString(known, "begin_program"), "s", path);
    const bool failed = PyRun_FileExFlags(program, path, FILE_INPUT, main, main, 1, NULL) == NULL;
    const bool exits = failed && PyErr_ExceptionMatches(PyExc_SystemExit);
    PyErr_Fetch(&kind, &value, &trace);
    for (int i = 0; i < 2; i++) {
        PyObject_CallMethod(PySys_GetObject(i == 0 ? "stderr" : "stdout"), "flush", NULL);
        PyErr_Clear();
    }
    PyErr_Restore(kind, value, trace);
    if (failed && !exits)
        PyErr_Print();
    PyErr_Fetch(&kind, &value, &trace); /* of sys.exit, or nothing */
    object end = PyDict_GetItemString(known, "end_program"), watched = PyDict_GetItemString(known, "is_watched");
    if (PyLong_AsLong(PyObject_CallFunction(watched, NULL)) == 0) {
        const long status = PyLong_AsLong(PyObject_CallFunction(end, value == NULL ? NULL : "(O)", value));
        if (status >= 0)
            exit((int)status);
    }
    PyErr_Restore(kind, value, trace);
    if (exits)
        PyErr_Print(); /* and ends */
    const bool interrupted = failed && PySys_GetObject("last_type") == PyExc_KeyboardInterrupt;
    const int flushed = Py_FinalizeEx();
    if (interrupted)
        raise(SIGINT);
    exit(flushed < 0 ? 120 : failed); /* 120: as CPython says that output could not be written */
}
