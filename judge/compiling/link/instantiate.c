/*
 * A GCC plugin, loaded only while a precompiled header is made: it adds `#pragma judge instantiate`, which instantiates
 * the templates that the headers queued so far.
 *
 * g++ writes a precompiled header before it does that, so that every program that uses the header would instantiate the
 * same library templates again (more than half of the time of a small compile) only to throw them away. Clang's
 * -fpch-instantiate-templates is the same idea; GCC has no such option.
 *
 * Written without GCC's plugin headers, which few machines have: the few declarations below have been the same since
 * GCC 4.8, and the number of the event, which has not, is asked for by its name. A compiler that lacks a symbol refuses to
 * load this, and the ordinary precompiled header is made instead.
 */
struct plugin_name_args {
    char *base_name; /* the rest is not used */
};
struct plugin_gcc_version;

extern int get_named_event_id(const char *name, int insert);
extern void register_callback(const char *plugin, int event, void (*callback)(void *, void *), void *data);

/* C++ functions of cc1plus: c_register_pragma(const char *, const char *, void (*)(cpp_reader *)) and
 * instantiate_pending_templates(int). */
extern void register_pragma(const char *space, const char *name,
                            void (*handler)(void *)) __asm__("_Z17c_register_pragmaPKcS0_PFvP10cpp_readerE");
extern void instantiate_pending_templates(int retries) __asm__("_Z29instantiate_pending_templatesi");

int plugin_is_GPL_compatible; /* asserted by its presence; this file is linked into no program */

static void instantiate(void *reader)
{
    (void)reader;
    instantiate_pending_templates(0);
}

static void add_pragma(void *event, void *data)
{
    (void)event;
    (void)data;
    register_pragma("judge", "instantiate", instantiate);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
    (void)version;
    int event = get_named_event_id("PLUGIN_PRAGMAS", 0);
    if (event < 0)
        return 1;
    register_callback(args->base_name, event, add_pragma, 0);
    return 0;
}
