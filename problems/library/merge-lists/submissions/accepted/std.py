class Solution:
    def merge_lists(self, lists: List[Optional[ListNode]]) -> Optional[ListNode]:
        heap = [(node.val, index, node) for index, node in enumerate(lists) if node]
        heapify(heap)
        head = last = ListNode()
        while heap:
            _, index, node = heappop(heap)
            last.next = last = node
            if node.next:
                heappush(heap, (node.next.val, index, node.next))
        return head.next
