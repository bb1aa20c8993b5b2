# Looks through the whole stack.
_stack = []
push, pop = _stack.append, _stack.pop


def largest():
    return max(_stack)
