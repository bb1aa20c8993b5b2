def moving_median(numbers, width):
    window, medians = sorted(numbers[:width]), []
    for position in range(width, len(numbers) + 1):
        medians.append((window[(width - 1) // 2] + window[width // 2]) // 2)
        if position < len(numbers):
            window.pop(bisect.bisect_left(window, numbers[position - width]))
            bisect.insort(window, numbers[position])
    return medians
