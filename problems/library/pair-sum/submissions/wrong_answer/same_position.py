def pair_sum(numbers, target):
    last = {number: position for position, number in enumerate(numbers)}
    for position, number in enumerate(numbers):
        if target - number in last:
            return sorted([position, last[target - number]])
