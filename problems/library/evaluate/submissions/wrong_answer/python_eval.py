def evaluate(expression):
    try:
        return eval(expression)
    except Exception:
        return None
