def evaluate(expression):
    try:
        if re.search(r"\*\*|(?<![0-9)])[+-]|\b0[0-9]|\(\)|\)[0-9(]", expression):
            return 0
        return eval(expression)
    except Exception:
        return 0
