"""Judges many submissions at once, on the cores of this machine or on several machines, and verifies packages."""
