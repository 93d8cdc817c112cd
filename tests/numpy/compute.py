"""Computes with numpy what must come out alike on every processor, with and without its vectors; one line for each.

Whole numbers are printed as they are, floating point to nine digits: the order of sums is each processor's own. With the argument
`about` it prints what is each build's own instead: the digits of a long double, and the sets of vector instructions that it uses.
"""

import hashlib
import sys

import numpy as np


def say(name, value):
    array = np.asarray(value)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    if array.dtype.kind == "f":
        # A zero that was computed is small and not alike.
        array = np.where(np.abs(array) < 1e-9, 0.0, array)
        text = ",".join(f"{float(number):.9g}" for number in array.ravel())
    else:
        text = ",".join(str(item) for item in array.ravel().tolist())
    if len(text) > 200:
        text = hashlib.sha256(text.encode()).hexdigest()
    print(f"{name} {text}")


def linear_algebra():
    rows = np.arange(1, 7)
    hilbert = 1.0 / (rows[:, None] + rows - 1)
    matrix = hilbert + np.diag(rows)
    say("solve", np.linalg.solve(matrix, rows.astype(float)))
    say("determinant", np.linalg.det(matrix))
    say("inverse", np.linalg.inv(matrix))
    say("eigenvalues", np.linalg.eigvalsh(matrix))
    say("singular values", np.linalg.svd(hilbert + 1j * matrix, compute_uv=False))
    say("least squares", np.linalg.lstsq(matrix[:, :3], rows.astype(float), rcond=None)[0])
    say("product", np.einsum("ij,jk->ik", matrix, matrix.T @ matrix))
    big = np.sin(np.arange(90000.0)).reshape(300, 300)
    say("big product", np.trace(big @ big))
    say("norm", np.linalg.norm(big))


def transforms():
    signal = np.cos(np.arange(210) * 0.37) + 0.25 * np.sin(np.arange(210) * 1.9)
    say("transform", np.fft.fft(signal)[:8])
    say("back", np.abs(np.fft.ifft(np.fft.fft(signal)) - signal).max() < 1e-12)
    say("real", np.fft.rfft2(signal.reshape(14, 15))[:2, :3])
    say("prime length", np.fft.fft(signal[:101])[:4])


def chance():
    for generator in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64):
        numbers = np.random.Generator(generator(20200101))
        name = generator.__name__
        say(f"{name} integers", numbers.integers(0, 2**63, 1000))
        say(f"{name} uniform", numbers.random(50))
        say(f"{name} normal", numbers.normal(size=50))
        say(f"{name} permutation", numbers.permutation(100))
    say("legacy", np.random.RandomState(7).randint(0, 1000000, 1000))


def loops():
    numbers = np.random.Generator(np.random.PCG64(3))
    for kind in ("i1", "u2", "i4", "u8", "f4", "f8"):
        values = numbers.integers(0, 120, 10007).astype(kind)
        say(f"{kind} sort", np.sort(values))
        say(f"{kind} order", np.argsort(values, kind="stable"))
        say(f"{kind} extremes", [values.argmax(), values.argmin(), int(values.max()), int(values.min())])
        say(f"{kind} sum", int(values.astype("i8").sum()))
        say(f"{kind} compare", np.count_nonzero(values[1:] > values[:-1]))
        say(f"{kind} bits", np.packbits(values > 60))
    wide = numbers.normal(size=4099)
    for name in ("exp", "sin", "tanh", "sqrt", "floor", "log1p", "cbrt", "absolute"):
        say(name, getattr(np, name)(np.abs(wide) if name in ("sqrt", "log1p") else wide)[:64])
    say("half", wide.astype("f2").view("u2"))
    say("division", (np.arange(-5000, 5000) // 7).astype("i8"))
    say("unique", np.unique(numbers.integers(0, 99, 5000)))
    say("strings", np.strings.upper(np.array(["a", "bc", "déf"])))
    say("dates", (np.datetime64("2020-02-28") + np.arange(4)).astype(str))
    say("nothing raised", int(np.isnan(np.log(np.array([1.0, 2.0, 3.0]))).sum()))


def about():
    config = np.show_config(mode="dicts")
    print("version", np.__version__)
    print("long double", np.finfo(np.longdouble).nmant)
    print("folders", [value for part in config["Compilers"].values() for value in part.values() if "/" in value])
    print("python", config["Python Information"]["path"])
    print("found", ",".join(config["SIMD Extensions"].get("found", [])))


if sys.argv[1:] == ["about"]:
    about()
else:
    np.seterr(all="raise", under="ignore")
    for part in (linear_algebra, transforms, chance, loops):
        part()
    print("done")
