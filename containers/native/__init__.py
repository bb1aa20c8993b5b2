"""The native backend: a small C launcher (src/), and the Python side that drives it."""
