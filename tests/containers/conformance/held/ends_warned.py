"""A file that was not closed is worth a warning, where the program asks for it."""

import warnings

warnings.simplefilter("always")
warnings.showwarning = lambda message, *rest: print(message)
file = open(0)
