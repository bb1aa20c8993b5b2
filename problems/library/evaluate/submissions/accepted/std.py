class Solution:
    def evaluate(self, expression: str) -> Optional[int]:
        self.text, self.at = expression, 0
        try:
            value = self.sum()
        except ValueError:
            return None
        return value if self.at == len(expression) else None

    def next(self):
        return self.text[self.at : self.at + 1]

    def take(self):
        self.at += 1
        return self.text[self.at - 1]

    def sum(self):
        value = self.product()
        while self.next() and self.next() in "+-":
            value += self.product() if self.take() == "+" else -self.product()
        return value

    def product(self):
        value = self.factor()
        while self.next() == "*":
            self.take()
            value *= self.factor()
        return value

    def factor(self):
        if self.next() == "(":
            self.take()
            value = self.sum()
            if self.next() != ")":
                raise ValueError
            self.take()
            return value
        digits = re.compile(r"[0-9]*").match(self.text, self.at)[0]
        self.at += len(digits)
        return int(digits)
