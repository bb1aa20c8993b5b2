# `push` and `pop` stand in a class, where nobody finds them.
class Stack:
    def __init__(self):
        self.numbers = []

    def push(self, x):
        self.numbers.append(x)

    def pop(self):
        return self.numbers.pop()

    def largest(self):
        return max(self.numbers)
