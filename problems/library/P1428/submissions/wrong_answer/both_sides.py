# Looks to both sides.
input()
cute = list(map(int, input().split()))
print(*(sum(other < one for other in cute) for one in cute))
