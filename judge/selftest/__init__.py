"""Hostile programs against the sandbox: their format, what they look for, and what a run of one shows.

attacks/<class>/<name>.{c,cpp,py}   attacks that a user's own machine can try; `tests/containers/escape` has the others
honest/*                            programs that must be accepted
include/attack.{h,py}               what attacks are written with
head.py  canaries.py  trial.py      their format, what they look for, what a run shows
suite.py                            all of them, for `judge selftest`
"""
