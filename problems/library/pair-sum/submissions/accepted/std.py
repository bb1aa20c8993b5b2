class Solution:
    def pair_sum(self, numbers: List[int], target: int) -> List[int]:
        at = {}
        for position, number in enumerate(numbers):
            if target - number in at:
                return [at[target - number], position]
            at[number] = position
