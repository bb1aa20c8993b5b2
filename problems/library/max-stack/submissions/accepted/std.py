_stack, _largest = [], []


def push(x):
    _stack.append(x)
    if not _largest or x >= _largest[-1]:
        _largest.append(x)


def pop():
    x = _stack.pop()
    if x == _largest[-1]:
        _largest.pop()
    return x


def largest():
    return _largest[-1]
