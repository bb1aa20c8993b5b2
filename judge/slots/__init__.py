"""Where runs happen: how many at once, on how much memory, and the sandboxes that each slot opens."""
