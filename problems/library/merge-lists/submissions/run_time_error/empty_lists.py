def merge_lists(lists: List[Optional[ListNode]]) -> Optional[ListNode]:
    heap = [(node.val, index, node) for index, node in enumerate(lists)]
    heapq.heapify(heap)
    head = last = ListNode()
    while heap:
        _, index, node = heapq.heappop(heap)
        last.next = last = node
        if node.next:
            heapq.heappush(heap, (node.next.val, index, node.next))
    return head.next
