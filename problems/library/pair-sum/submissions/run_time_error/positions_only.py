def pair_sum(numbers, target):
    return [numbers.index(target // 2), numbers.index(target - target // 2)]
