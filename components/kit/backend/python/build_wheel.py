"""Has a project's own backend make a wheel (PEP 517), in an interpreter that describes the target.

Called with one JSON file:
  source         the project's folder
  requirements   the folder that what it is built with was unpacked into
  programs       the folder that the programs of what it is built with are put into, for whoever looks for them by name
  backend        the module of the backend, and behind a `:` an object in it
  backend_path   folders of the project in which the backend lies; absolute
  settings       the backend's `config_settings`
  into           the folder that the wheel is put into
  facts          see target_facts, target_setuptools and target_skbuild
The last line is `windlass: wheel NAME`.
"""

import importlib
import importlib.metadata
import json
import os
import site
import sys

import target_facts

# The shell replaces itself by this interpreter, which reads the first lines as a text: the path may be too long for a `#!` line.
PROGRAM = """\
#!/bin/sh
'''exec' '{python}' -s "$0" "$@"
' '''
import sys

sys.path.insert(0, {requirements!r})
from {module} import {name}

sys.exit({attribute}())
"""


def put_programs(requirements, folder):
    """Writes the programs that packages declare, as an installer would, and has them found first."""
    os.makedirs(folder, exist_ok=True)
    for distribution in importlib.metadata.distributions(path=[requirements]):
        for entry in distribution.entry_points.select(group="console_scripts"):
            text = PROGRAM.format(
                python=sys.executable,
                requirements=requirements,
                module=entry.module,
                name=entry.attr.split(".")[0],
                attribute=entry.attr,
            )
            path = os.path.join(folder, entry.name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]


def main(path):
    with open(path, encoding="utf-8") as file:
        order = json.load(file)
    # Files that end in .pth take effect too: setuptools and editable backends rely on theirs.
    site.addsitedir(order["requirements"])
    sys.path[:0] = order["backend_path"]
    # The order of these two puts what was brought along before whatever this machine's Python has.
    sys.path.remove(order["requirements"])
    sys.path.insert(len(order["backend_path"]), order["requirements"])
    put_programs(order["requirements"], order["programs"])
    target_facts.describe(order["facts"])
    name, _, attribute = order["backend"].partition(":")
    if name.split(".")[0] == "setuptools":
        import target_setuptools

        target_setuptools.apply(order["facts"])
    if name.split(".")[0] == "scikit_build_core":
        import target_skbuild

        target_skbuild.apply(order["facts"])
    os.chdir(order["source"])
    backend = importlib.import_module(name)
    for part in filter(None, attribute.split(".")):
        backend = getattr(backend, part)
    os.makedirs(order["into"], exist_ok=True)
    made = backend.build_wheel(order["into"], order["settings"], None)
    print(f"windlass: wheel {made}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
