"""Runs hostile programs against the sandbox, and tells whether it contained them.

attacks/<class>/<name>.{c,cpp,py}   attacks that a user's own machine can try; `tests/containers/escape` has the others
honest/*                            programs that must be accepted
include/attack.{h,py}               functions that attacks use
head.py  canaries.py  trial.py      the format of attacks, what they look for, one run and what it shows
suite.py                            runs all of them, for `judge selftest`
"""
