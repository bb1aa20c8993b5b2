def merge_lists(lists: List[Optional[ListNode]]) -> Optional[ListNode]:
    head = last = ListNode()
    while any(node is not None for node in lists):
        index = min(range(len(lists)), key=lambda i: lists[i].val if lists[i] else inf)
        last.next = last = ListNode(lists[index].val)
        lists[index] = lists[index].next
    return head.next
