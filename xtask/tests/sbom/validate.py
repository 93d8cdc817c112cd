"""Has independent validators judge bills of materials: spdx-tools for *.spdx.json, cyclonedx-python-lib for *.cdx.json.

    python3 -m venv V && V/bin/pip install spdx-tools 'cyclonedx-python-lib[json-validation]'
    V/bin/python xtask/tests/sbom/validate.py target/windlass/*/bundle/sbom.*.json

Ends with 1 when one is refused, and says why. It knows nothing of how they were written.
"""

import sys
from pathlib import Path


def spdx(path: Path) -> list[str]:
    """What spdx-tools objects to."""
    from spdx_tools.spdx.parser.error import SPDXParsingError
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    try:
        document = parse_file(str(path))
    except SPDXParsingError as error:
        return error.get_messages()
    return [message.validation_message for message in validate_full_spdx_document(document)]


def cyclonedx(path: Path) -> list[str]:
    """What cyclonedx-python-lib objects to."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(path.read_text(encoding="utf-8"))
    return [] if error is None else [str(error)]


def main(paths: list[Path]) -> int:
    """Judges all of them."""
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = False
    for path in paths:
        judge = spdx if path.name.endswith(".spdx.json") else cyclonedx
        for line in (objections := judge(path))[:25]:
            print(f"{path}: {line}")
        wrong |= bool(objections)
        if not objections:
            print(f"{path}: accepted by {judge.__name__}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
