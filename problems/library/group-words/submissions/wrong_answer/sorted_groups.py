def group_words(words):
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(word)), []).append(word)
    return {key: sorted(group) for key, group in groups.items()}
