def merge_lists(lists: List[Optional[ListNode]]) -> Optional[ListNode]:
    values = set()
    for node in lists:
        while node:
            values.add(node.val)
            node = node.next
    head = None
    for value in sorted(values, reverse=True):
        head = ListNode(value, head)
    return head
