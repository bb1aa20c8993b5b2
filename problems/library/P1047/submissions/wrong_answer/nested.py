# Merges sorted sections, but a section inside an earlier one pulls the end back.
l, m = map(int, input().split())
sections = sorted(tuple(map(int, input().split())) for _ in range(m))
gone, end = 0, -1
for u, v in sections:
    gone += max(0, v - max(u, end + 1) + 1)
    end = v
print(l + 1 - gone)
