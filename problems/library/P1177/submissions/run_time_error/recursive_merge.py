# Merge sort whose merging recurses once for each element: too deep for long inputs.
def merge(a, b, i, j, merged):
    if i == len(a) or j == len(b):
        merged += a[i:] + b[j:]
    elif a[i] <= b[j]:
        merged.append(a[i])
        merge(a, b, i + 1, j, merged)
    else:
        merged.append(b[j])
        merge(a, b, i, j + 1, merged)
    return merged


def merge_sort(a):
    if len(a) <= 1:
        return a
    half = len(a) // 2
    return merge(merge_sort(a[:half]), merge_sort(a[half:]), 0, 0, [])


input()
print(*merge_sort(list(map(int, input().split()))))
