# Drops every character 0 at the end of the line.
print(*reversed(input().rstrip("0 ").split()))
