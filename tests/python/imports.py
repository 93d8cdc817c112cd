"""Imports every module that is named on standard input, each in this one interpreter, and prints those that cannot be with the
reason, then how many there were."""

import importlib
import sys
import warnings

warnings.simplefilter("ignore")
names = sys.stdin.read().split()
for name in names:
    try:
        importlib.import_module(name)
    except BaseException as error:
        print(f"{name}: {type(error).__name__}: {error}")
print(f"tried {len(names)}")
