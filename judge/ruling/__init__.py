"""From the facts of a run to a verdict, and from verdicts to a score. Pure."""
