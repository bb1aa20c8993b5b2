"""Reads Luogu's files and the well-known data sets, and makes the data sets that TRL takes."""
