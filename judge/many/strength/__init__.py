"""Measures how strong the tests of a problem are, with the ordinary `Judge` (mutants come from `problems.strength`).

labelled submissions ──► true and false positive rates
accepted ones ──► mutants ──► the package's tests ──killed──────────────────────────► kill rate
                                    └──survives──► random inputs ──no difference──► not told apart
                                                          └──another result──► survivor, with the input
"""
