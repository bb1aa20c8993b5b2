"""The commands of `judge-train`, one module each."""
