import sys
print("x")
sys.stdout.close()
print("y", file=sys.stderr)
