"""Says whether an output is right: by built-in comparisons, or by checkers that a problem brings."""
