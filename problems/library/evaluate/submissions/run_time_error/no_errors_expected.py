def evaluate(expression):
    return eval(re.sub(r"\b0+(?=[0-9])", "", expression))
