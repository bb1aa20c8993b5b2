def level_sums(root: Optional[TreeNode]) -> List[int]:
    def depth(node):
        return 1 + max(depth(node.left), depth(node.right)) if node else 0

    def total(node, level):
        if node is None:
            return 0
        return total(node.left, level - 1) + total(node.right, level - 1) if level else node.val

    return [total(root, level) for level in range(depth(root))]
