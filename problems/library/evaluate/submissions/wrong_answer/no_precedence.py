def evaluate(expression):
    tokens = iter(re.findall(r"\d+|.", expression))

    def value():
        total, operator, expects = 0, "+", True
        for token in tokens:
            if token == ")":
                break
            if token in "+-*":
                if expects:
                    raise ValueError
                operator, expects = token, True
                continue
            if not expects:
                raise ValueError
            one = value() if token == "(" else int(token)
            total = total + one if operator == "+" else total - one if operator == "-" else total * one
            expects = False
        if expects:
            raise ValueError
        return total

    try:
        return value()
    except ValueError:
        return None
