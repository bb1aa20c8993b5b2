"""How strong the tests of a problem are: mutants of right programs, and inputs that may tell them apart. Pure: nothing
here runs a program (`judge.many.strength` does).

    mutants    small changes of a program, each one a mistake that a person might make
    syntax     the syntax tree (tree-sitter) and the text under it
    cpp, python    the operators: which changes a language allows
    inputs     small random inputs of the same shape as those that are there
"""
