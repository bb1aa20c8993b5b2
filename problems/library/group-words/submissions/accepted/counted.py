from collections import OrderedDict


def group_words(words):
    groups = OrderedDict()
    for word in words:
        key = "".join(letter * word.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz")
        groups[key] = [*groups.get(key, ()), word]
    return groups
