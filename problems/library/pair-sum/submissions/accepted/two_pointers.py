def pair_sum(numbers, target):
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    low, high = 0, len(order) - 1
    while numbers[order[low]] + numbers[order[high]] != target:
        if numbers[order[low]] + numbers[order[high]] < target:
            low += 1
        else:
            high -= 1
    return tuple(sorted((order[low], order[high])))
