"""Who waits for the Judge, and who is next."""
