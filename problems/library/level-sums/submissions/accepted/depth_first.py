def level_sums(root: "TreeNode"):
    sums = []

    def visit(node, depth):
        if node is None:
            return
        if depth == len(sums):
            sums.append(0)
        sums[depth] += node.val
        visit(node.left, depth + 1)
        visit(node.right, depth + 1)

    visit(root, 0)
    return sums
