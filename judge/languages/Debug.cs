namespace System.Diagnostics
{
    /// .NET's, which ends the program where an assertion fails. (Mono's only tells who listens.) What is written to it, nobody hears.
    static class Debug
    {
        public static bool AutoFlush { get; set; }
        public static int IndentLevel { get; set; }
        public static int IndentSize { get; set; }

        public static void Assert(bool condition, object message = null, object detail = null, params object[] more)
        {
            if (!condition)
                Fail(message, detail);
        }

        public static void Fail(object message, object detail = null)
        {
            Console.Out.Flush();
            Console.Error.WriteLine("Process terminated. Assertion failed.\n{0}\n{1}\n{2}", message, detail, new StackTrace(1, true));
            Environment.Exit(134);
        }

        public static void Write(object message, params object[] more) { }
        public static void WriteLine(object message, params object[] more) { }
        public static void Print(object message, params object[] more) { }
        public static void WriteIf(bool condition, object message, params object[] more) { }
        public static void WriteLineIf(bool condition, object message, params object[] more) { }
        public static void Indent() { }
        public static void Unindent() { }
        public static void Flush() { }
        public static void Close() { }
    }
}
