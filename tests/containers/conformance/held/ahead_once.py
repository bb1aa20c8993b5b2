"""What modules import is there once, whichever way it was imported first."""

import contextlib
import copyreg
import enum
import itertools
import keyword
import pickle
import reprlib
import sys
import types

import collections
import functools
import json
import re
import typing

print(isinstance(re.IGNORECASE, enum.Enum), pickle.loads(pickle.dumps(re.compile("a"))))
print(typing.ContextManager.__origin__ is contextlib.AbstractContextManager, re.Pattern in copyreg.dispatch_table)
print(collections._recursive_repr is reprlib.recursive_repr, collections._iskeyword is keyword.iskeyword)
print(functools.GenericAlias is types.GenericAlias, type(json.scanner), type(itertools))
for name, module in sorted(sys.modules.items()):
    for key, value in sorted(vars(module).items()):
        if type(value) is types.ModuleType and sys.modules.get(value.__name__) is not value:
            print(name, key, value.__name__)
