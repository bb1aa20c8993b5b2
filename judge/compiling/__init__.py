"""Turns source into programs: source hygiene, compilers, linkers, precompiled headers, the held compiler."""
