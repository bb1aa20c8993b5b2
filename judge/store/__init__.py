"""Keeps what the judge needs again: in directories that nobody else can change, in the cache, and in memory."""
