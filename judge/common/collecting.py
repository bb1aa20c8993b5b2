"""When the garbage collector of a process of ours looks at young, older and old objects."""

#: Rows leave no cycles behind: with Python's own thresholds the collector took half the time of a driver with thousands
#: of rows (benchmarks/driver.py).
COLLECTED_AFTER = (50_000, 20, 50)
