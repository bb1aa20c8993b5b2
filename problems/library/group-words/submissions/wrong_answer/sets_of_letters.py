def group_words(words):
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(set(word))), []).append(word)
    return groups
