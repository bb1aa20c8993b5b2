def merge_lists(lists: List[Optional[ListNode]]) -> Optional[ListNode]:
    head = last = ListNode()
    while sum(node is not None for node in lists) > 1:
        index = min((i for i, node in enumerate(lists) if node), key=lambda i: lists[i].val)
        last.next = last = ListNode(lists[index].val)
        lists[index] = lists[index].next
    return head.next
