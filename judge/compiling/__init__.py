"""From source to program: hygiene, compilers, linkers, precompiled headers, the held compiler."""
