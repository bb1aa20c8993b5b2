class Solution:
    def group_words(self, words: List[str]) -> Dict[str, List[str]]:
        groups = defaultdict(list)
        for word in words:
            groups["".join(sorted(word))].append(word)
        return groups
