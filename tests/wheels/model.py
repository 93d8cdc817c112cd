"""Builds a small model in the ONNX format, runs it with onnxruntime, and prints what it is and what came out. The format is Protocol
Buffers; the numbers of the fields are those of onnx.proto. With `generate` it is onnxruntime-genai's native objects that are used; with
`save PATH` the model is written for others to run."""

import struct
import sys


def varint(value):
    head = bytearray()
    while value > 127:
        head.append(value & 127 | 128)
        value >>= 7
    return bytes(head + bytes([value]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


FLOAT, INT64 = 1, 7


def tensor(name, shape, numbers):
    return message(*((1, size) for size in shape), (2, FLOAT), (8, name), (9, struct.pack(f"<{len(numbers)}f", *numbers)))


def node(kind, inputs, output, *attributes):
    return message(*((1, name) for name in inputs), (2, output), (4, kind), *((5, attribute) for attribute in attributes))


def attribute(name, number):
    return message((1, name), (3, number), (20, 2))


def value(name, shape, kind=FLOAT):
    """A size is a number, or a name for any number."""
    sizes = message(*((1, message((1 if isinstance(size, int) else 2, size))) for size in shape))
    return message((1, name), (2, message((1, message((1, kind), (2, sizes))))))


def model():
    """A picture of 6 by 6 through a convolution, a threshold, a matrix and a distribution."""
    kernel = [(at * 7 % 11 - 5) / 4 for at in range(2 * 3 * 3)]
    matrix = [(at * 5 % 13 - 6) / 64 for at in range(32 * 4)]
    graph = message(
        (1, node("Conv", ["picture", "kernel"], "edges")),
        (1, node("Relu", ["edges"], "lit")),
        (1, node("Flatten", ["lit"], "row")),
        (1, node("MatMul", ["row", "matrix"], "scores")),
        (1, node("Softmax", ["scores"], "chances")),
        (2, "small"),
        (5, tensor("kernel", [2, 1, 3, 3], kernel)),
        (5, tensor("matrix", [32, 4], matrix)),
        (11, value("picture", [1, 1, 6, 6])),
        (12, value("scores", [1, 4])),
        (12, value("chances", [1, 4])),
    )
    return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))


def run():
    import numpy
    import onnxruntime

    session = onnxruntime.InferenceSession(model(), providers=["CPUExecutionProvider"])
    picture = (numpy.arange(36, dtype=numpy.float32) * 17 % 23 - 11).reshape(1, 1, 6, 6) / 8
    for name, numbers in zip(["scores", "chances"], session.run(None, {"picture": picture})):
        print(name, *(f"{number:.9g}" for number in numbers[0]))
    try:
        onnxruntime.InferenceSession(model()[:-1], providers=["CPUExecutionProvider"])
    except Exception as error:
        print("refused", type(error).__name__)


TOKENS = 16


def language_model():
    """After each token there is one that is likeliest, by a table. What it keeps of the tokens before serves nothing."""
    table = [float(TOKENS - (to - (at * 5 + 3)) % TOKENS) for at in range(TOKENS) for to in range(TOKENS)]
    graph = message(
        (1, node("Gather", ["table", "input_ids"], "logits")),
        (1, node("Cast", ["input_ids"], "numbers", attribute("to", FLOAT))),
        (1, node("Unsqueeze", ["numbers", "axes"], "states")),
        (1, node("Concat", ["past_key_values.0.key", "states"], "present.0.key", attribute("axis", 2))),
        (1, node("Concat", ["past_key_values.0.value", "states"], "present.0.value", attribute("axis", 2))),
        (2, "language"),
        (5, message((1, 2), (2, INT64), (8, "axes"), (9, struct.pack("<2q", 1, 3)))),
        (5, tensor("table", [TOKENS, TOKENS], table)),
        (11, value("input_ids", ["batch", "length"], INT64)),
        *((11, value(f"past_key_values.0.{name}", ["batch", 1, "past", 1])) for name in ("key", "value")),
        (12, value("logits", ["batch", "length", TOKENS])),
        *((12, value(f"present.0.{name}", ["batch", 1, "total", 1])) for name in ("key", "value")),
    )
    return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))


CONFIG = {
    "model": {
        "type": "llama",
        "vocab_size": TOKENS,
        "context_length": 64,
        "bos_token_id": 0,
        "eos_token_id": TOKENS - 1,
        "pad_token_id": 0,
        "decoder": {
            "filename": "language.onnx",
            "hidden_size": 1,
            "head_size": 1,
            "num_attention_heads": 1,
            "num_key_value_heads": 1,
            "num_hidden_layers": 1,
            "inputs": {
                "input_ids": "input_ids",
                "past_key_names": "past_key_values.%d.key",
                "past_value_names": "past_key_values.%d.value",
            },
            "outputs": {
                "logits": "logits",
                "present_key_names": "present.%d.key",
                "present_value_names": "present.%d.value",
            },
        },
    },
    "search": {"max_length": 24, "do_sample": False},
}


def generate(folder):
    import json
    import pathlib

    import numpy
    import onnxruntime_genai

    tensor = onnxruntime_genai.Tensor(numpy.arange(6, dtype=numpy.float32).reshape(2, 3))
    print("tensor", tensor.shape(), tensor.as_numpy().sum())
    folder = pathlib.Path(folder)
    (folder / "language.onnx").write_bytes(language_model())
    (folder / "genai_config.json").write_text(json.dumps(CONFIG))
    language = onnxruntime_genai.Model(str(folder))
    parameters = onnxruntime_genai.GeneratorParams(language)
    parameters.set_search_options(max_length=24)
    generator = onnxruntime_genai.Generator(language, parameters)
    generator.append_tokens(numpy.array([[1, 2]], dtype=numpy.int32))
    while not generator.is_done():
        generator.generate_next_token()
    print("tokens", *generator.get_sequence(0))
    try:
        onnxruntime_genai.Model(str(folder / "nothing"))
    except Exception as error:
        print("refused", type(error).__name__)


def save(path):
    with open(path, "wb") as file:
        file.write(model())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["generate", folder]:
            generate(folder)
        case ["save", path]:
            save(path)
        case _:
            run()
