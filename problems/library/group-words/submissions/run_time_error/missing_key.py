def group_words(words):
    groups = {}
    for word in words:
        groups["".join(sorted(word))].append(word)
    return groups
