def pair_sum(numbers, target):
    seen = set()
    for number in numbers:
        if target - number in seen:
            return [target - number, number]
        seen.add(number)
