"""Reads packages of the ICPC formats: one module for each file or directory of a package."""
