import re


def evaluate(expression):
    values, operators = [], []
    number_next = True

    def apply():
        second, first = values.pop(), values.pop()
        operator = operators.pop()
        values.append(first + second if operator == "+" else first - second if operator == "-" else first * second)

    for token in re.findall(r"\d+|.", expression):
        if token.isdigit() or token == "(":
            if not number_next:
                return None
            if token == "(":
                operators.append(token)
            else:
                values.append(int(token))
                number_next = False
        elif number_next:
            return None
        elif token == ")":
            while operators and operators[-1] != "(":
                apply()
            if not operators:
                return None
            operators.pop()
        else:
            while operators and operators[-1] != "(" and (token != "*" or operators[-1] == "*"):
                apply()
            operators.append(token)
            number_next = True
    if number_next:
        return None
    while operators:
        if operators[-1] == "(":
            return None
        apply()
    return values[0]
