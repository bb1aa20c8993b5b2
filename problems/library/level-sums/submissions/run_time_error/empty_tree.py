def level_sums(root: Optional[TreeNode]) -> List[int]:
    sums, level = [], [root]
    while level:
        sums.append(sum(node.val for node in level))
        level = [child for node in level for child in (node.left, node.right) if child]
    return sums
