# Takes one away if there is a space at all.
title = input()
print(len(title) - (" " in title))
