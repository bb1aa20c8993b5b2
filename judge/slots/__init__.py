"""Runs programs in slots: decides how many run at once and on how much memory, and opens each slot's sandboxes."""
