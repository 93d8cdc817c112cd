"""Teaches scikit-build-core the target: the tag of its wheel.

The suffix of modules it takes from `sysconfig`, which is taught in target_facts; where the target's headers and import libraries are,
it is told by its settings. What is left is the tag, which it takes from the best of the tags that the interpreter that runs can install.

Keys of the facts that are read here:
  tag            the tag of a wheel with modules for the target, its platform as `sysconfig` spells it
"""

from packaging import tags


def apply(facts):
    """Has scikit-build-core name its wheel for the target."""
    tag = tags.Tag(*facts["tag"].split("-"))
    tags.sys_tags = lambda **_: iter([tag])
