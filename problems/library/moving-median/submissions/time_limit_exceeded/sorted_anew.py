def moving_median(numbers, width):
    medians = []
    for start in range(len(numbers) - width + 1):
        window = sorted(numbers[start : start + width])
        medians.append((window[(width - 1) // 2] + window[width // 2]) / 2)
    return medians
