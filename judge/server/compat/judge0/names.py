"""Judge0's numbers."""

from __future__ import annotations

VERSION = "1.13.1"
#: Its numbers of languages, several of them for one of ours.
LANGUAGES = {
    45: "nasm", 46: "bash", 48: "c17", 49: "c17", 50: "c17", 51: "csharp", 52: "cpp17", 53: "cpp17", 54: "cpp17",
    55: "lisp", 56: "d", 57: "elixir", 58: "erlang", 59: "fortran", 60: "go", 61: "haskell", 62: "java",
    63: "javascript", 64: "lua", 65: "ocaml", 66: "octave", 67: "pascal", 68: "php", 69: "prolog", 71: "python3",
    72: "ruby", 73: "rust", 74: "typescript", 76: "cpp17-clang", 78: "kotlin", 80: "r", 81: "scala", 82: "sql",
    85: "perl", 86: "clojure",
}  # fmt: skip
#: Of programs of several files, which bring scripts that compile and run them.
MULTI_FILE, MULTI_FILE_LANGUAGE = 89, "bash"
MULTI_FILE_TITLE = "Multi-file program"
STATUSES = {
    1: "In Queue", 2: "Processing", 3: "Accepted", 4: "Wrong Answer", 5: "Time Limit Exceeded",
    6: "Compilation Error", 7: "Runtime Error (SIGSEGV)", 8: "Runtime Error (SIGXFSZ)", 9: "Runtime Error (SIGFPE)",
    10: "Runtime Error (SIGABRT)", 11: "Runtime Error (NZEC)", 12: "Runtime Error (Other)", 13: "Internal Error",
    14: "Exec Format Error",
}  # fmt: skip
