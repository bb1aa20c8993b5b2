def inversions(a):
    if len(a) < 2:
        return 0
    middle = len(a) // 2
    left, right = a[:middle], a[middle:]
    found = inversions(left) + inversions(right)
    i = 0
    for k, one in enumerate(right):
        while i < len(left) and left[i] <= one:
            i += 1
        found += len(left) - i
    a.sort()
    return found
