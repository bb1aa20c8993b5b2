class Solution:
    def level_sums(self, root: Optional[TreeNode]) -> List[int]:
        sums, level = [], [root] if root else []
        while level:
            sums.append(sum(node.val for node in level))
            level = [child for node in level for child in (node.left, node.right) if child]
        return sums
