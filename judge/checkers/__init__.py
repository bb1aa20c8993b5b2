"""What says whether an output is right: built-in comparisons, and the programs that a problem brings."""
