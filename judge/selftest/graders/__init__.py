"""Tries graders with programs whose worth is known: what is paid, what is rejected, what is lost.

suite.py      the programs and the problem, read from files
ours.py       our judge
released.py   graders of others, each installed in an environment of its own and run in nsjail
driver.py     what runs there
services.py   services, asked over HTTP as their clients ask
table.py      the table, as Markdown and as a page
"""
