def level_sums(root: Optional[TreeNode]) -> List[int]:
    sums, level = [], [root] if root else []
    while level:
        if total := sum(node.val for node in level):
            sums.append(total)
        level = [child for node in level for child in (node.left, node.right) if child]
    return sums
