class Solution:
    def moving_median(self, numbers: List[int], width: int) -> List[float]:
        window, medians = sorted(numbers[:width]), []
        for position in range(width, len(numbers) + 1):
            medians.append((window[(width - 1) // 2] + window[width // 2]) / 2)
            if position < len(numbers):
                window.pop(bisect_left(window, numbers[position - width]))
                insort(window, numbers[position])
        return medians
