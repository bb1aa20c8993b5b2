"""Judge0's numbers."""

from __future__ import annotations

VERSION = "1.13.1"
#: Of programs of several files, which bring scripts that compile and run them.
MULTI_FILE, MULTI_FILE_LANGUAGE = 89, "bash"
MULTI_FILE_TITLE = "Multi-file program"
STATUSES = {
    1: "In Queue", 2: "Processing", 3: "Accepted", 4: "Wrong Answer", 5: "Time Limit Exceeded",
    6: "Compilation Error", 7: "Runtime Error (SIGSEGV)", 8: "Runtime Error (SIGXFSZ)", 9: "Runtime Error (SIGFPE)",
    10: "Runtime Error (SIGABRT)", 11: "Runtime Error (NZEC)", 12: "Runtime Error (Other)", 13: "Internal Error",
    14: "Exec Format Error",
}  # fmt: skip
