"""Makes HTML of what others wrote: highlighted sources, statements with formulas.

Lexers and parsers are regular expressions that hostile text may keep busy for ever. They run in a process of their own
(`worker`), which gets a deadline for each text (`process`); what misses it is shown as it is.
"""
