def level_sums(root: Optional[TreeNode]) -> List[int]:
    sums, level = [], [root] if root else []
    while level:
        sums.append(sum(node.val for node in level))
        level = [child for node in level if node.left for child in (node.left, node.right) if child]
    return sums
