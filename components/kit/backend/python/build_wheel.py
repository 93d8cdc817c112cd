"""Has a project's own backend make a wheel (PEP 517), in an interpreter that describes the target.

Called with one JSON file:
  source         the project's folder
  requirements   the folder that what it is built with was unpacked into
  backend        the module of the backend, and behind a `:` an object in it
  backend_path   folders of the project in which the backend lies; absolute
  settings       the backend's `config_settings`
  into           the folder that the wheel is put into
  facts          see target_facts and target_setuptools
The last line is `windlass: wheel NAME`.
"""

import importlib
import json
import os
import site
import sys

import target_facts


def main(path):
    with open(path, encoding="utf-8") as file:
        order = json.load(file)
    # Files that end in .pth take effect too: setuptools and editable backends rely on theirs.
    site.addsitedir(order["requirements"])
    sys.path[:0] = order["backend_path"]
    # The order of these two puts what was brought along before whatever this machine's Python has.
    sys.path.remove(order["requirements"])
    sys.path.insert(len(order["backend_path"]), order["requirements"])
    target_facts.describe(order["facts"])
    name, _, attribute = order["backend"].partition(":")
    if name.split(".")[0] == "setuptools":
        import target_setuptools

        target_setuptools.apply(order["facts"])
    os.chdir(order["source"])
    backend = importlib.import_module(name)
    for part in filter(None, attribute.split(".")):
        backend = getattr(backend, part)
    os.makedirs(order["into"], exist_ok=True)
    made = backend.build_wheel(order["into"], order["settings"], None)
    print(f"windlass: wheel {made}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
