"""Commands of `judge-train`, a module each."""
