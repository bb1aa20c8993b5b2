def merge_lists(lists: "list[ListNode]") -> "ListNode":
    values = []
    for node in lists:
        while node:
            values.append(node.val)
            node = node.next
    head = None
    for value in sorted(values, reverse=True):
        head = ListNode(value, head)
    return head
