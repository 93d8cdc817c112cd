"""Makes the Python that runs here describe the Python of a target, to whoever asks it how to build something.

The facts come from a JSON file and never from this interpreter. What is changed is what build tools ask: `sysconfig`, and on demand
`platform`. `sys.platform` and `os.name` stay as they are, for the standard library itself decides by them what it can do here.

Keys of the file:
  platform       what `sysconfig.get_platform()` says
  variables      values of `sysconfig.get_config_vars()` that take the place of this interpreter's
  include        the folder of the target's `Python.h`
  system         what `platform.system()` says
  machine        what `platform.machine()` says
"""

import json
import os
import sysconfig

VARIABLE = "WINDLASS_PYTHON_FACTS"

# Variables of this interpreter that would lead a build to this machine's files. What the target has stands in the facts.
HOST_ONLY = (
    "BINDIR",
    "BLDSHARED",
    "INCLDIRSTOMAKE",
    "LIBDEST",
    "LIBPC",
    "LIBPL",
    "MULTIARCH_CPPFLAGS",
    "PYTHONPATH",
    "RUNSHARED",
    "abs_builddir",
    "abs_srcdir",
    "projectbase",
    "srcdir",
)


def read(path=None):
    """The facts in a file; in the one that the environment names if none is given. Nothing if there is none."""
    path = path or os.environ.get(VARIABLE)
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def describe(facts):
    """Has `sysconfig` describe the target."""
    variables = sysconfig.get_config_vars()
    for name in HOST_ONLY:
        if name in variables:
            variables[name] = ""
    variables.update(facts["variables"])
    platform = facts["platform"]
    sysconfig.get_platform = lambda: platform
    get_paths = sysconfig.get_paths

    def paths(*args, **kwargs):
        found = get_paths(*args, **kwargs)
        for name in ("include", "platinclude"):
            if name in found:
                found[name] = facts["include"]
        return found

    sysconfig.get_paths = paths


def describe_machine(facts):
    """Has `platform` describe the target too; for an interpreter that is only asked, and runs no build tool itself."""
    import platform

    platform.system = lambda: facts["system"]
    platform.machine = lambda: facts["machine"]
