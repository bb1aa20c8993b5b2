def group_words(words):
    keys = ["".join(sorted(word)) for word in words]
    return {key: [word for other, word in zip(keys, words) if other == key] for key in keys}
