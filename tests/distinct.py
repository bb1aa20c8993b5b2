"""A line that makes a program one that no cache holds."""

from __future__ import annotations

import os


def declaration() -> str:
    """In C and C++, and of no consequence: programs that differ in comments only are one to the compile cache."""
    return f"\nextern int of_its_own_{os.urandom(8).hex()};\n"
