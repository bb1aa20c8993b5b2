# Counts each pair twice, and each number with itself.
from collections import Counter

n, k = map(int, input().split())
a = Counter(int(word) % k for word in input().split())
print(sum(count * a[-rest % k] for rest, count in a.items()))
