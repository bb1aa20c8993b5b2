# Has room for ten fish.
n = int(input())
counts = [0] * 10
cute = list(map(int, input().split()))
for i in range(n):
    counts[i] = sum(other < cute[i] for other in cute[:i])
print(*counts[:n])
