"""Our launcher, a small C program (src/), and its driver in Python, which every backend but `unsafe` uses."""
