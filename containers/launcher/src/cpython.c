/* What is CPython's alone in an interpreter that is held (interpreter.c): part of that library only.
 *
 * What the interpreter made while it started stays out of garbage collections, as for all who fork (gc.freeze). And when
 * a program has ended (its threads, its atexit functions), the interpreter takes itself apart, object by object, which
 * for a short program costs more than all before: memory that the fork shares is written everywhere. Only finalizers
 * can be told from outside, so where there are none (shows_nothing), Py_FinalizeEx returns at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unwind.h>

#include "launcher.h"

typedef struct object { /* PyObject, unless it is a debugger's or runs threads beside each other: sys.abiflags */
    ptrdiff_t references;
    struct object *type;
} * object;

struct method { /* PyMethodDef */
    const char *name;
    object (*function)(object, object);
    int flags;
    const char *text;
};
#define NO_ARGUMENTS 0x4

/* Functions and objects of its C interface, found where this is CPython. */
#define FUNCTIONS(_)                                                                                                   \
    _(int, Py_IsInitialized, (void))                                                                                   \
    _(int, Py_FinalizeEx, (void))                                                                                      \
    _(int, PyGILState_Ensure, (void))                                                                                  \
    _(void, PyGILState_Release, (int))                                                                                 \
    _(object, PyInterpreterState_Get, (void))                                                                          \
    _(object, PyInterpreterState_ThreadHead, (object))                                                                 \
    _(object, PyThreadState_Next, (object))                                                                            \
    _(object, PyImport_ImportModule, (const char *))                                                                   \
    _(object, PyImport_GetModuleDict, (void))                                                                          \
    _(object, PyModule_GetDict, (object))                                                                              \
    _(object, PyDict_GetItemString, (object, const char *))                                                            \
    _(int, PyDict_DelItemString, (object, const char *))                                                               \
    _(ptrdiff_t, PyObject_Size, (object))                                                                              \
    _(object, PyObject_GetAttrString, (object, const char *))                                                          \
    _(object, PyObject_CallMethod, (object, const char *, const char *, ...))                                          \
    _(object, PyObject_CallNoArgs, (object))                                                                           \
    _(void, PyObject_GC_Track, (object))                                                                               \
    _(void, PyObject_GC_UnTrack, (object))                                                                             \
    _(object, PyList_GetItem, (object, ptrdiff_t))                                                                     \
    _(ptrdiff_t, PyLong_AsSsize_t, (object))                                                                           \
    _(int, PyUnicode_CompareWithASCIIString, (object, const char *))                                                   \
    _(object, PyCFunction_NewEx, (struct method *, object, object))                                                    \
    _(void *, PyType_GetSlot, (object, int))                                                                           \
    _(unsigned long, PyType_GetFlags, (object))                                                                        \
    _(int, PyType_IsSubtype, (object, object))                                                                         \
    _(object, PySys_GetObject, (const char *))                                                                         \
    _(int, PySys_Audit, (const char *, const char *, ...))                                                             \
    _(void, PyErr_Clear, (void))                                                                                       \
    _(void, Py_IncRef, (object))                                                                                       \
    _(void, Py_DecRef, (object)) /* also of NULL */
#define OBJECTS(_)                                                                                                     \
    _(_Py_NoneStruct)                                                                                                  \
    _(PyCFunction_Type)                                                                                                \
    _(_PyWeakref_RefType)                                                                                              \
    _(_PyWeakref_ProxyType)                                                                                            \
    _(_PyWeakref_CallableProxyType)
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

/* What is known of the interpreter before it looks at a program. */
static KEPT struct {
    bool early;                               /* it is, and programs may end early */
    object get_objects, count_blocks;         /* gc.get_objects, sys.getallocatedblocks */
    object bytes, text, raw, reader, wrapper; /* types: io.BytesIO, StringIO, FileIO, BufferedReader, TextIOWrapper */
    object streams[2];                        /* sys.stdout, sys.stderr */
    ptrdiff_t attributes[2];                  /* how many attributes these have of their own */
    ptrdiff_t blocks;
    unsigned long long libraries;
    object *types; /* the types of Python code */
    size_t type_count, finalizers;
} start = {0};

static ptrdiff_t number_of(object made)
{
    const ptrdiff_t number = made == NULL ? -1 : PyLong_AsSsize_t(made);
    Py_DecRef(made);
    return number;
}

static ptrdiff_t own_attributes(object of)
{
    object dict = PyObject_GetAttrString(of, "__dict__");
    const ptrdiff_t count = dict == NULL ? -1 : PyObject_Size(dict);
    Py_DecRef(dict);
    return count;
}

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

/* Of typeslots.h and object.h. */
#define TP_DEL 53
#define TP_FINALIZE 80
#define HEAP_TYPE (1ul << 9)
#define TYPE_SUBCLASS (1ul << 31)

static bool is_type(object it) { return PyType_GetFlags(it->type) & TYPE_SUBCLASS; }
static bool finalizes(object type) { return PyType_GetSlot(type, TP_FINALIZE) || PyType_GetSlot(type, TP_DEL); }

static size_t count_finalizers(void)
{
    size_t count = 0;
    for (size_t i = 0; i < start.type_count; i++)
        count += finalizes(start.types[i]);
    return count;
}

/* Files whose buffers hold nothing that is yet to be written. */
static bool is_harmless_file(object file)
{
    const object type = file->type;
    if (type != start.wrapper)
        return type == start.bytes || type == start.text || type == start.raw || type == start.reader;
    object buffer = PyObject_GetAttrString(file, "buffer");
    const bool harmless = buffer != NULL && buffer->type == start.reader;
    Py_DecRef(buffer);
    return harmless;
}

/* None, or the one that takes a class out of an abstract class's registry. */
static bool has_harmless_callback(object reference)
{
    object callback = PyObject_GetAttrString(reference, "__callback__"), name = NULL;
    bool harmless = callback == _Py_NoneStruct;
    if (callback != NULL && callback->type == PyCFunction_Type)
        name = PyObject_GetAttrString(callback, "__name__");
    if (name != NULL) {
        harmless = PyUnicode_CompareWithASCIIString(name, "_destroy") == 0;
        Py_DecRef(name);
    }
    Py_DecRef(callback);
    return harmless;
}

static bool ends_silently(object it)
{
    if (finalizes(it->type))
        return is_harmless_file(it);
    if (is_type(it)) /* also for objects that are not listed */
        return !finalizes(it);
    if (it->type == _PyWeakref_RefType)
        return has_harmless_callback(it);
    /* To ask an object of a class that the program made could be to run its code. */
    return !PyType_IsSubtype(it->type, _PyWeakref_RefType) && it->type != _PyWeakref_ProxyType &&
           it->type != _PyWeakref_CallableProxyType;
}

/* The streams are the interpreter's own, and all that was printed is out. */
static bool flush_streams(void)
{
    static const char *const names[] = {"stdout", "stderr"};
    for (size_t i = 0; i < 2; i++) {
        object stream = PySys_GetObject(names[i]);
        if (stream != start.streams[i] || own_attributes(stream) != start.attributes[i])
            return false;
        object done = PyObject_CallMethod(stream, "flush", NULL);
        if (done == NULL)
            return false;
        Py_DecRef(done);
    }
    return true;
}

/* More than a program of some lines makes is freed as ever, so that it takes its time whether it is held or not. */
#define MOST_BLOCKS (64 * 1024)

/* Whether nobody could tell that nothing is taken apart. Not known of a program that asked for the collector, started
 * threads, or loaded a library. */
static bool shows_nothing(void)
{
    if (PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get())) != NULL ||
        PyDict_GetItemString(PyImport_GetModuleDict(), "gc") != NULL || count_libraries() != start.libraries ||
        number_of(PyObject_CallNoArgs(start.count_blocks)) > start.blocks + MOST_BLOCKS ||
        count_finalizers() != start.finalizers || !flush_streams())
        return false;
    object objects = PyObject_CallNoArgs(start.get_objects);
    if (objects == NULL)
        return false;
    bool silent = true;
    for (ptrdiff_t i = 0, count = PyObject_Size(objects); silent && i < count; i++)
        silent = ends_silently(PyList_GetItem(objects, i));
    Py_DecRef(objects);
    return silent && PySys_Audit("cpython.PyInterpreterState_Clear", NULL) == 0;
}

#if defined __x86_64__
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *data)
{
    static const struct {
        int dwarf, machine; /* its number in the psABI and in ucontext.h */
    } saved[] = {{3, REG_RBX}, {6, REG_RBP}, {12, REG_R12}, {13, REG_R13}, {14, REG_R14}, {15, REG_R15}};
    greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
    if (registers[REG_RIP] != 0) { /* the frame before was Py_FinalizeEx */
        for (size_t i = 0; i < sizeof saved / sizeof *saved; i++)
            registers[saved[i].machine] = (greg_t)_Unwind_GetGR(frame, saved[i].dwarf);
        registers[REG_RIP] = (greg_t)_Unwind_GetIP(frame);
        registers[REG_RSP] = (greg_t)_Unwind_GetCFA(frame);
        return _URC_NORMAL_STOP;
    }
    if (_Unwind_GetRegionStart(frame) == (uintptr_t)Py_FinalizeEx)
        registers[REG_RIP] = (greg_t)_Unwind_GetIP(frame);
    return _URC_NO_REASON;
}

/* Where Py_FinalizeEx was called, as it will be when that returns. */
static bool find_caller(ucontext_t *context)
{
    if (getcontext(context) < 0)
        return false;
    greg_t *registers = context->uc_mcontext.gregs;
    registers[REG_RIP] = registers[REG_RSP] = 0;
    _Unwind_Backtrace(look_at_frame, context); /* returns the same when it is stopped and when it fails */
    return registers[REG_RSP] != 0;
}
#else
static bool find_caller(ucontext_t *context)
{
    (void)context;
    return false;
}
#endif

/* The last of the atexit functions. Like Py_FinalizeEx, setcontext returns 0 to who called that. */
static object end_program(object self, object nothing)
{
    ucontext_t caller;
    (void)self, (void)nothing;
    if (start.early && find_caller(&caller) && shows_nothing())
        setcontext(&caller);
    PyErr_Clear();
    Py_IncRef(_Py_NoneStruct);
    return _Py_NoneStruct;
}

/* A module that no program has asked for yet. What is held of it is never given back. */
static object import_quietly(const char *name)
{
    object modules = PyImport_GetModuleDict();
    const bool known = PyDict_GetItemString(modules, name) != NULL;
    object module = PyImport_ImportModule(name);
    if (module != NULL && !known)
        PyDict_DelItemString(modules, name);
    return module;
}

/* The module "__main__" is the program's: its objects are finalized when it is collected. */
static void freeze_around(object gc, object main)
{
    object dict = PyModule_GetDict(main);
    PyObject_GC_UnTrack(main);
    PyObject_GC_UnTrack(dict);
    object done = PyObject_CallMethod(gc, "freeze", NULL);
    PyObject_GC_Track(dict);
    PyObject_GC_Track(main);
    Py_DecRef(done);
}

static bool note_types(void)
{
    object objects = PyObject_CallNoArgs(start.get_objects);
    const ptrdiff_t count = objects == NULL ? -1 : PyObject_Size(objects);
    if (count < 0 || (start.types = calloc((size_t)count + 1, sizeof(object))) == NULL)
        return false;
    for (ptrdiff_t i = 0; i < count; i++) {
        object it = PyList_GetItem(objects, i);
        if (is_type(it) && PyType_GetFlags(it) & HEAP_TYPE)
            start.types[start.type_count++] = it;
    }
    Py_DecRef(objects);
    start.finalizers = count_finalizers();
    return true;
}

static bool note_start(object gc, object io)
{
    const ptrdiff_t version = PyLong_AsSsize_t(PySys_GetObject("hexversion")) >> 16;
    const struct {
        object *place, from;
        const char *name;
    } wanted[] = {
        {&start.get_objects, gc, "get_objects"}, {&start.bytes, io, "BytesIO"},
        {&start.text, io, "StringIO"},           {&start.raw, io, "FileIO"},
        {&start.reader, io, "BufferedReader"},   {&start.wrapper, io, "TextIOWrapper"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if ((*wanted[i].place = PyObject_GetAttrString(wanted[i].from, wanted[i].name)) == NULL)
            return false;
    /* Before, not every type has slots to look at; after, Py_FinalizeEx is only a name for what ends it. */
    if (version < 0x030a || version > 0x030c)
        return false;
    object flags = PySys_GetObject("abiflags");
    start.streams[0] = PySys_GetObject("stdout"), start.streams[1] = PySys_GetObject("stderr");
    start.count_blocks = PySys_GetObject("getallocatedblocks");
    if (flags == NULL || PyObject_Size(flags) != 0 || start.count_blocks == NULL || start.streams[0] == NULL ||
        start.streams[1] == NULL)
        return false;
    Py_IncRef(start.count_blocks);
    for (size_t i = 0; i < 2; i++)
        start.attributes[i] = own_attributes(start.streams[i]);
    start.libraries = count_libraries();
    start.blocks = number_of(PyObject_CallNoArgs(start.count_blocks));
    return note_types();
}

static void end_early(object gc)
{
    static KEPT struct method method = {"end", end_program, NO_ARGUMENTS, NULL};
    object io = import_quietly("_io"), atexit = import_quietly("atexit");
    if (io == NULL || atexit == NULL || !note_start(gc, io))
        return;
    object function = PyCFunction_NewEx(&method, NULL, NULL);
    object done = function == NULL ? NULL : PyObject_CallMethod(atexit, "register", "O", function);
    start.early = done != NULL;
}

void end_cpython_as_ever(void) { start.early = false; }

void prepare_cpython(void)
{
    if (!find_names() || !Py_IsInitialized())
        return;
    const int state = PyGILState_Ensure();
    object main = PyDict_GetItemString(PyImport_GetModuleDict(), "__main__"), gc = import_quietly("gc");
    if (gc != NULL && main != NULL) {
        end_early(gc);
        freeze_around(gc, main);
    }
    PyErr_Clear();
    PyGILState_Release(state);
}
