"""Our launcher: a small C program (src/), and what drives it from Python, whoever raises the walls around it."""
