input()
cute = list(map(int, input().split()))
print(*(sum(other < one for other in cute[:i]) for i, one in enumerate(cute)))
