# The largest number that ever was on the stack.
_stack, _most = [], []


def push(x):
    _stack.append(x)
    _most[:] = [max([x, *_most])]


def pop():
    return _stack.pop()


def largest():
    return _most[0]
