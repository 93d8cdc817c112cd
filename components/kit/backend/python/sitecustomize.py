"""Read by an interpreter at its start when its folder is on PYTHONPATH: an interpreter that build tools only ask how to build.

Meson, CMake and maturin ask a Python about itself in a process of its own; that process is this one. Where the environment names no
facts, nothing is changed.
"""

import target_facts

_facts = target_facts.read()
if _facts is not None:
    target_facts.describe(_facts)
    target_facts.describe_machine(_facts)
