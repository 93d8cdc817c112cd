"""Packs a zip file again: its members in the order of their names, all with one time. Arguments: the file, seconds since 1970."""

import sys
import time
import zipfile

path, seconds = sys.argv[1], int(sys.argv[2])
with zipfile.ZipFile(path) as old:
    members = sorted((name, old.read(name)) for name in old.namelist())
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
    for name, content in members:
        member = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = 0o644 << 16
        new.writestr(member, content)
