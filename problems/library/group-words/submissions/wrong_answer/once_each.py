def group_words(words):
    groups = {}
    for word in dict.fromkeys(words):
        groups.setdefault("".join(sorted(word)), []).append(word)
    return groups
