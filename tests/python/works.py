"""What an interpreter must be able to do, one line each: the name of a part and what its real work came to. A part that
fails says why, and the lines that are wanted are in cases.toml. Arguments: a scratch folder."""

import asyncio
import ctypes
import decimal
import hashlib
import multiprocessing
import os
import sqlite3
import ssl
import subprocess
import sys
import threading
import zlib

WINDOWS = sys.platform == "win32"


def machine(folder):
    import platform
    import struct
    import sysconfig

    bits = struct.calcsize("P") * 8
    return f"{platform.python_version()} {bits} {sysconfig.get_platform()} {sys.platform} {sys.implementation.cache_tag}"


def suffix(folder):
    import importlib.machinery

    return " ".join(importlib.machinery.EXTENSION_SUFFIXES)


def null_pointer(folder):
    # The fault goes through a frame of libffi's, which must say how it is unwound.
    try:
        ctypes.string_at(0)
    except OSError as error:
        return str(error)


def foreign_functions(folder):
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    numbers = (ctypes.c_int * 5)(5, 3, 9, -1, 7)
    library, mathematics = ("ucrtbase", "ucrtbase") if WINDOWS else ("libc.so.6", "libm.so.6")
    ctypes.CDLL(library).qsort(numbers, len(numbers), 4, compare(lambda a, b: a[0] - b[0]))
    power = ctypes.CDLL(mathematics).pow
    power.restype, power.argtypes = ctypes.c_double, [ctypes.c_double, ctypes.c_double]
    return f"{list(numbers)} {power(2, 0.5):.15f}"


def hashes(folder):
    digests = [hashlib.new(name, b"abc").hexdigest()[:16] for name in ("md5", "sha256", "sha3_256", "blake2b", "sm3")]
    derived = hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 1000).hex()[:16]
    return " ".join([*digests, derived])


def compression(folder):
    import bz2
    import lzma

    data = b"the quick brown fox " * 5000
    parts = []
    for module in (zlib, bz2, lzma):
        packed = module.compress(data)
        parts.append(f"{module.__name__} {len(packed) < 2000 and module.decompress(packed) == data}")
    return " ".join(parts) + f" {zlib.crc32(data):08x}"


def database(folder):
    connection = sqlite3.connect(os.path.join(folder, "test.db"))
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(word)")
    connection.executemany("INSERT INTO words VALUES (?)", [("quick",), ("brown",), ("fox",)])
    connection.commit()
    rows = connection.execute("SELECT word, sqrt(16) FROM words WHERE words MATCH 'br*'").fetchall()
    connection.close()
    return str(rows)


def numbers(folder):
    import _decimal

    decimal.getcontext().prec = 50
    assert decimal.Decimal is _decimal.Decimal
    return f"{decimal.Decimal(2).sqrt()} {_decimal.__libmpdec_version__}"


def encryption(folder):
    # A handshake in memory, with a certificate that is not checked: every byte goes through OpenSSL twice.
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    from test.test_ssl import CERTFILE

    server.load_cert_chain(CERTFILE)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [server.wrap_bio(to_server, to_client, server_side=True), client.wrap_bio(to_client, to_server)]
    for _ in range(10):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                pass
    ends[1].write(b"hello")
    return f"{ends[0].read().decode()} {ends[1].version()} {ends[1].cipher()[0]} {ssl.OPENSSL_VERSION.split()[0]}"


def event_loop(folder):
    async def echo(reader, writer):
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    async def talk():
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"hello\n")
        line = await reader.readline()
        writer.close()
        server.close()
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await child.communicate()
        return f"{type(asyncio.get_running_loop()).__name__} {line.decode().strip()} {out.decode().strip()}"

    return asyncio.run(talk())


def square(number):
    return number * number


def processes(folder):
    with multiprocessing.Pool(2) as pool:
        return str(pool.map(square, range(6)))


def registry(folder):
    import winreg

    with winreg.CreateKey(winreg.HKEY_CURRENT_USER, r"Software\WindlassTest") as key:
        winreg.SetValueEx(key, "answer", 0, winreg.REG_DWORD, 42)
        value = winreg.QueryValueEx(key, "answer")
    winreg.DeleteKey(winreg.HKEY_CURRENT_USER, r"Software\WindlassTest")
    return str(value)


def child_process(folder):
    run = subprocess.run(
        [sys.executable, "-c", "import sys; sys.stderr.write('err'); print(sys.stdin.read()[::-1]); sys.exit(7)"],
        input="abc",
        capture_output=True,
        text=True,
    )
    return f"{run.returncode} {run.stdout.strip()} {run.stderr}"


def threads(folder):
    results = []
    workers = [threading.Thread(target=lambda n=n: results.append(sum(range(n)))) for n in range(1, 9)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return str(sorted(results))


def mapped_memory(folder):
    import mmap

    path = os.path.join(folder, "mapped")
    with open(path, "wb") as file:
        file.write(b"0" * 65536)
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[100:105] = b"hello"
        memory.flush()
    with open(path, "rb") as file:
        return str(file.read().find(b"hello"))


def unicode_paths(folder):
    path = os.path.join(folder, "żółw 亀")
    os.makedirs(path)
    with open(os.path.join(path, "ß.txt"), "w", encoding="utf-8") as file:
        file.write("ok")
    return ascii(os.listdir(path))


def xml(folder):
    import xml.etree.ElementTree as tree

    root = tree.fromstring("<a><b c='1'>&#228;</b><b c='2'/></a>")
    return f"{ascii(root[0].text)} {sum(int(b.get('c')) for b in root)} {type(root.find).__name__}"


PARTS = [
    machine,
    suffix,
    foreign_functions,
    hashes,
    compression,
    database,
    numbers,
    encryption,
    event_loop,
    processes,
    child_process,
    threads,
    mapped_memory,
    unicode_paths,
    xml,
]
OF_WINDOWS = [null_pointer, registry]

if __name__ == "__main__":
    for part in PARTS + OF_WINDOWS * WINDOWS:
        try:
            result = part(sys.argv[1])
        except BaseException as error:
            result = f"failed: {type(error).__name__}: {error}"
        print(f"{part.__name__}: {result}", flush=True)
