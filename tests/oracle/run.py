#!/usr/bin/env python3
"""Steelyard's llama.cpp rules beside the real llama.cpp, and its GGUF reader beside another reader.

    run.py STEELYARD_ORACLE FOLDER [--record DOCUMENT] [--verbose]

Fetches node-llama-cpp (a prebuilt llama.cpp) and @huggingface/gguf from npm into FOLDER. Ends with 0
when every floor holds, 1 when one does not, 77 (skipped) where node, npm or the registry is missing.
"""
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import gguf_models  # noqa: E402
import headers  # noqa: E402

PACKAGES = ["node-llama-cpp@3.21.1", "@node-llama-cpp/linux-x64@3.21.1", "@huggingface/gguf@0.4.6"]
SKIPPED = 77
MIB = 1048576
CONTEXTS = (2048, 8192, 32768)
MICRO_BATCH = 512
EXACT = ("kv", "state", "output")
# Cache and states: to the last digit of the log. Compute: median and share within a tenth.
FLOORS = {"median": 1.0, "within": 10.0, "share": 0.9}


def skip(why):
    print(f"oracle SKIPPED: {why}")
    sys.exit(SKIPPED)


def node_folder(folder):
    """Installed once; the versions are pinned, nothing of the packages runs while they install."""
    try:
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        skip("no node here")
    if int(version.strip().lstrip("v").split(".")[0]) < 20:
        skip(f"node {version.strip()} is too old, the packages need 20")
    node = os.path.join(folder, "node")
    stamp = os.path.join(node, "installed.json")
    if os.path.exists(stamp) and json.load(open(stamp)) == PACKAGES:
        return node
    os.makedirs(node, exist_ok=True)
    try:
        done = subprocess.run(["npm", "install", "-E", "--ignore-scripts", "--omit=optional", "--no-audit",
                               "--no-fund", "--prefix", node] + PACKAGES,
                              capture_output=True, text=True, timeout=240)
    except (OSError, subprocess.TimeoutExpired) as error:
        skip(f"npm: {error}")
    if done.returncode != 0:
        skip("npm could not fetch the packages: " + done.stderr.strip()[-300:])
    with open(stamp, "w") as file:
        json.dump(PACKAGES, file)
    return node


def cases():
    """Contexts are the whole of all sequences. Values of 8 bits need flash attention: one case asks for
    them without and is refused."""
    yield {"context": 2048, "sequences": 1, "flash": False, "keys": "q8_0", "values": "q8_0",
           "batch": MICRO_BATCH}
    for context in CONTEXTS:
        for sequences in (1, 4):
            for flash in (True, False):
                for keys, values in (("f16", "f16"), ("q8_0", "q8_0" if flash else "f16")):
                    yield {"context": context, "sequences": sequences, "flash": flash, "keys": keys,
                           "values": values, "batch": MICRO_BATCH}


def ask_llama(node, files):
    """[(name, whole, case, sizes of the log in MiB)]."""
    jobs = [{"file": os.path.abspath(path), "allocate": False, "cases": list(cases())}
            for path in files.values()]
    # Planned and really allocated buffers must be the same: one small file is loaded for good.
    real = files["Llama 3.1 8B", False]
    jobs.append({"file": os.path.abspath(real), "allocate": True,
                 "cases": [c for c in cases() if c["context"] == 8192]})
    done = subprocess.run(["node", os.path.join(HERE, "llama.mjs"), node], input=json.dumps(jobs),
                          capture_output=True, text=True, timeout=540)
    if done.returncode != 0:
        sys.exit("the real llama.cpp did not run:\n" + done.stderr[-2000:])
    names = {os.path.abspath(path): key for key, path in files.items()}
    out = []
    for line in done.stdout.splitlines():
        case = json.loads(line)
        name, whole = names[case["file"]]
        out.append((name, whole, case, sizes_of(case["log"])))
    return out


def sizes_of(log):
    sizes = {"kv": 0.0, "state": 0.0, "compute": 0.0, "output": 0.0}

    def number(line, behind):
        return float(line.split(behind, 1)[1].split()[0])

    for line in log:
        if "llama_kv_cache: size =" in line:
            sizes["kv"] += number(line, "size =")
        elif "llama_memory_recurrent: size =" in line:
            sizes["state"] += number(line, "size =")
        elif "compute buffer size =" in line:
            sizes["compute"] += number(line, "size =")
        elif "output buffer size =" in line:
            sizes["output"] += number(line, "size =")
    return sizes


def ask_steelyard(program, rows):
    lines = ["\t".join(["buffers", case["file"], str(case["context"]), str(case["sequences"]),
                        "on" if case["flash"] else "off", case["keys"], case["values"],
                        str(case["batch"])]) for _, _, case, _ in rows]
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True,
                          check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Row:
    def __init__(self, name, whole, case, real, ours):
        self.name, self.whole, self.case, self.real, self.ours = name, whole, case, real, ours

    # The log prints two decimals of MiB, each buffer rounded by itself: two caches may add up.
    def exact(self, kind):
        return abs(self.ours[kind] / MIB - self.real[kind]) <= 0.011

    def error(self):
        return 100 * (self.ours["compute"] / MIB - self.real["compute"]) / self.real["compute"]

    def refused(self):
        return self.case["error"] is not None

    def words(self):
        c = self.case
        return (f"{self.name}, {'whole' if self.whole else 'small'} vocabulary, context {c['context']}, "
                f"{c['sequences']} seq, flash {'on' if c['flash'] else 'off'}, K {c['keys']} V {c['values']}"
                f"{', allocated' if c['allocate'] else ''}")


def judge(rows):
    """Lines that say which floor is missed."""
    missed = []
    for row in rows:
        if "error" in row.ours:
            missed.append(f"no prediction: {row.words()}: {row.ours['error']}")
            continue
        if row.refused() != (row.ours["refusal"] != ""):
            missed.append(f"refused by {'llama.cpp' if row.refused() else 'Steelyard'} alone: {row.words()}")
        for kind in EXACT:
            if not row.refused() and not row.exact(kind):
                missed.append(f"{kind} is not exact: {row.words()}: {row.ours[kind] / MIB:.2f} MiB, "
                              f"llama.cpp {row.real[kind]:.2f}")
    errors = [abs(r.error()) for r in rows if "error" not in r.ours and not r.refused()]
    median = statistics.median(errors)
    share = sum(e <= FLOORS["within"] for e in errors) / len(errors)
    if median >= FLOORS["median"]:
        missed.append(f"compute: median {median:.2f} %, the floor is {FLOORS['median']} %")
    if share < FLOORS["share"]:
        missed.append(f"compute: {share:.1%} within {FLOORS['within']:.0f} %, the floor is {FLOORS['share']:.0%}")
    return missed


def table(rows):
    out = ["| model | cases | cache, state, output exact | compute median % | 90th centile % | worst % | "
           "within 1 % | within 10 % |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]

    def line(name, some):
        errors = sorted(abs(r.error()) for r in some)
        exact = sum(all(r.exact(k) for k in EXACT) for r in some)
        return (f"| {name} | {len(some)} | {exact} | {statistics.median(errors):.2f} | "
                f"{errors[int(0.9 * (len(errors) - 1))]:.2f} | {errors[-1]:.2f} | "
                f"{sum(e <= 1 for e in errors) / len(errors):.0%} | "
                f"{sum(e <= 10 for e in errors) / len(errors):.0%} |")

    for name in gguf_models.MODELS:
        out.append(line(name, [r for r in rows if r.name == name]))
    return out + [line("all", rows)]


def document(path, lines, rows, asked, missed, headers_read):
    far = sorted((r for r in rows if abs(r.error()) > 2), key=lambda r: -abs(r.error()))
    shown = {}
    for r in far:
        shown.setdefault(r.name, []).append(r)
    out = ["# Oracle: beside the real llama.cpp", "",
           "Written by `tests/oracle/run.py build/tests/oracle/steelyard_oracle build/oracle --record "
           "docs/oracle.md`.", "",
           f"Against {PACKAGES[0]} (llama.cpp v0.4.0, prebuilt, processor only): GGUF files with real heads, "
           "widths, experts and vocabulary, fewer layers and no data, contexts of "
           + ", ".join(map(str, CONTEXTS)) + " tokens, 1 and 4 sequences, flash attention on and off, caches "
           "of f16 and q8_0, and once more with a vocabulary of "
           f"{gguf_models.SMALL_VOCABULARY}, where the layers and not the logits decide. {asked} cases, "
           f"{asked - len(rows)} of them refused by both. The library plans its buffers without taking the "
           "memory; one model is also allocated for good and gives the same sizes.", "",
           "What it does not show: cards (their copies of inputs), layers on both sides, and the server's "
           "logits of few tokens, since the package asks for all of a micro-batch.", "",
           f"Floors: cache, state and output exact to the log's last digit in every case; compute median "
           f"under {FLOORS['median']:.0f} %, {FLOORS['share']:.0%} within {FLOORS['within']:.0f} %: "
           f"{'not met' if missed else 'met'}. GGUF headers beside {PACKAGES[2]}: {headers_read} files, "
           "counts, metadata, shapes, types and offsets equal.", ""] + lines
    out += ["", "## The furthest compute buffers", "", "Beyond 2 %, two per model.", "",
            "| error % | predicted MiB | llama.cpp MiB | case |", "| ---: | ---: | ---: | --- |"]
    for some in shown.values():
        out += [f"| {r.error():+.2f} | {r.ours['compute'] / MIB:.2f} | {r.real['compute']:.2f} | {r.words()} |"
                for r in some[:2]]
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    program, folder = sys.argv[1], sys.argv[2]
    node = node_folder(folder)
    files = gguf_models.write_all(os.path.join(folder, "models"))
    real = ask_llama(node, files)
    ours = ask_steelyard(program, real)
    asked = [Row(*one, mine) for one, mine in zip(real, ours, strict=True)]
    missed = judge(asked)
    rows = [r for r in asked if not r.refused()]
    # A wrong figure has to be seen: a MiB more cache, compute buffers a fifth off, a refusal less.
    wrong = dict(rows[0].ours, kv=rows[0].ours["kv"] + MIB)
    if not judge([Row(rows[0].name, rows[0].whole, rows[0].case, rows[0].real, wrong)]):
        missed.append("a cache of 1 MiB more was not noticed")
    if not judge([Row(r.name, r.whole, r.case, r.real, dict(r.ours, refusal="")) for r in asked if r.refused()] + rows):
        missed.append("a refusal less was not noticed")
    far = [Row(r.name, r.whole, r.case, r.real, dict(r.ours, compute=r.ours.get("compute", 0) * 1.2))
           for r in rows]
    if not any(line.startswith("compute:") for line in judge(far)):
        missed.append("compute buffers a fifth too large were not noticed")
    lines = table(rows)
    print("\n".join(lines))
    if "--verbose" in sys.argv:
        for r in sorted(rows, key=lambda r: -abs(r.error())):
            print(f"{r.error():+8.2f} %  {r.ours['compute'] / MIB:9.2f}  {r.real['compute']:9.2f}  {r.words()}")
    checked, differ = headers.compare(program, node, files)
    missed += differ
    if "--record" in sys.argv:
        document(sys.argv[sys.argv.index("--record") + 1], lines, rows, len(asked), missed, checked)
    print(f"headers: {checked} beside @huggingface/gguf, {len(differ)} differences")
    for line in missed[:40]:
        print("MISSED:", line)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
