"""GGUF headers as Steelyard reads them beside @huggingface/gguf: counts, metadata, tensors, offsets."""
import json
import os
import subprocess

import packages

PROCESSES = 4
COUNTS = ("version", "tensor_count", "kv_count")


def same(ours, theirs):
    if isinstance(theirs, bool):
        theirs = int(theirs)
    if isinstance(theirs, list):
        theirs = [int(x) if isinstance(x, bool) else x for x in theirs]
        whole = all(isinstance(x, int) for x in theirs)
        return ours == theirs if whole and isinstance(ours, list) else ours == {"length": len(theirs)}
    if isinstance(theirs, float) or (isinstance(theirs, int) and theirs < 0):
        return ours == {"kept": True} or ours == theirs
    return ours == theirs


def differences(name, ours, theirs):
    out = []
    if ours["version"] != theirs["metadata"]["version"]:
        out.append(f"header of {name}: version {ours['version']}, {theirs['metadata']['version']}")
    if len(ours["tensors"]) != theirs["metadata"]["tensor_count"]:
        out.append(f"header of {name}: {len(ours['tensors'])} tensors, {theirs['metadata']['tensor_count']}")
    if ours["data_start"] != theirs["data_start"]:
        out.append(f"header of {name}: data from {ours['data_start']}, {theirs['data_start']}")
    for key, value in theirs["metadata"].items():
        if key not in COUNTS and not same(ours["metadata"][key], value):
            out.append(f"header of {name}: {key} is {ours['metadata'][key]}, {value}")
    for mine, other in zip(ours["tensors"], theirs["tensors"]):
        if mine != [other[0], other[1], other[2].lower(), other[3]]:
            out.append(f"header of {name}: tensor {mine}, {other}")
    return out


def compare(program, node, files, spoilt=False):
    """(number of headers, differences); `spoilt` moves one tensor of each header, which has to be seen."""
    paths = list(files.values())
    parts = ["\n".join(paths[at::PROCESSES]) for at in range(PROCESSES)]
    theirs = [json.loads(line) for text in packages.run_scripts("headers.mjs", node, parts, timeout=300)
              for line in text.splitlines()]
    asked = "".join("\t".join(["header", one["file"]] + [k for k in one["metadata"] if k not in COUNTS]) + "\n"
                    for one in theirs)
    done = subprocess.run([program], input=asked, capture_output=True, text=True, check=True)
    ours = [json.loads(line) for line in done.stdout.splitlines()]
    if spoilt:
        ours = [moved(one) for one in ours]
    out = []
    for mine, other in zip(ours, theirs, strict=True):
        out += differences(os.path.basename(other["file"]), mine, other)
    if not differences("a wrong header", moved(ours[0]), theirs[0]):
        out.append("a wrong offset was not noticed")
    return len(ours), out


def moved(header):
    """The same with its last tensor elsewhere."""
    *others, (name, shape, kind, offset) = header["tensors"]
    return dict(header, tensors=[*others, [name, shape, kind, offset + 32]])
