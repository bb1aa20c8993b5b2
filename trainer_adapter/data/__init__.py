"""Data to train on: from Luogu's files and the well-known data sets to what TRL takes."""
