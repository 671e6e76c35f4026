#!/usr/bin/env python3
"""Steelyard's llama.cpp rules beside the real llama.cpp, and its GGUF reader beside another reader.

    run.py STEELYARD_ORACLE FOLDER [--record DOCUMENT] [--verbose] [--saved]
           [--wrong kv|state|output|compute|refusal|header]

Fetches node-llama-cpp (a prebuilt llama.cpp) and @huggingface/gguf from npm into FOLDER, once. Ends with 0
when every floor holds, 1 when one does not, 77 (skipped, with the reason) on a machine that cannot have
the packages. --saved takes llama.cpp's answers of the last run; --wrong spoils the predictions, which has
to end with 1.
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
import packages  # noqa: E402

SKIPPED = 77
MIB = 1048576
CONTEXTS = (2048, 8192, 32768)
MICRO_BATCH = 512
EXACT = ("kv", "state", "output")
LEAST_CASES = 512
PROCESSES = 4
# Cache and states: to the last digit of the log. Compute: median and share within a tenth.
FLOORS = {"median": 1.0, "within": 10.0, "share": 0.9}


def skip(folder, why):
    """./test prints the reason once more: ctest hides what a skipped test says."""
    print(f"oracle SKIPPED: {why}")
    with open(os.path.join(folder, "skipped"), "w") as file:
        file.write(why + "\n")
    sys.exit(SKIPPED)


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


def ask_llama(node, files, saved):
    """[(name, whole, case, sizes of the log in MiB)]; `saved` is where the answers are kept."""
    jobs = [{"file": os.path.abspath(path), "allocate": False, "cases": list(cases())}
            for path in files.values()]
    # Planned and really allocated buffers must be the same: one small file is loaded for good.
    real = files["Llama 3.1 8B", False]
    jobs.append({"file": os.path.abspath(real), "allocate": True,
                 "cases": [c for c in cases() if c["context"] == 8192]})
    if "--saved" in sys.argv:
        with open(saved) as file:
            answers = file.read()
    else:
        parts = [json.dumps(jobs[at::PROCESSES]) for at in range(PROCESSES)]
        answers = "".join(packages.run_scripts("llama.mjs", node, parts))
        with open(saved, "w") as file:
            file.write(answers)
    names = {os.path.abspath(path): key for key, path in files.items()}
    out = []
    for line in answers.splitlines():
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


def spoil(ours, how):
    """What a wrong rule would answer: a MiB more of one kind, a fifth more compute, a refusal less."""
    for one in ours:
        if how == "compute":
            one["compute"] = one.get("compute", 0) * 1.2
        elif how == "refusal":
            one["refusal"] = ""
        elif how in EXACT:
            one[how] = one.get(how, 0) + MIB
    return ours


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
    if len(rows) < LEAST_CASES:
        missed.append(f"{len(rows)} cases, {LEAST_CASES} are asked for")
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
           f"Against {packages.version('node-llama-cpp')} (llama.cpp v0.4.0, prebuilt, processor only): GGUF files with real heads, "
           "widths, experts and vocabulary, fewer layers and no data, contexts of "
           + ", ".join(map(str, CONTEXTS)) + " tokens, 1 and 4 sequences, flash attention on and off, caches "
           "of f16 and q8_0, and once more with a vocabulary of "
           f"{gguf_models.SMALL_VOCABULARY}, where the layers and not the logits decide. {asked} cases, "
           f"{asked - len(rows)} of them refused by both. The library plans its buffers without taking the "
           "memory; one model is also allocated for good and gives the same sizes.", "",
           "What it does not show: cards (their copies of inputs), layers on both sides, and the server's "
           "logits of few tokens, since the package asks for all of a micro-batch. Mamba-2 follows the graph "
           "of llama.cpp's build_mamba2_layer; half a MiB of it is not explained. What is left of the "
           "others is the order in which holes of the buffer are filled: a vector of the hidden width that "
           "fits or does not.", "",
           f"Floors: cache, state and output exact to the log's last digit in every case; compute median "
           f"under {FLOORS['median']:.0f} %, {FLOORS['share']:.0%} within {FLOORS['within']:.0f} %: "
           f"{'not met' if missed else 'met'}. GGUF headers beside {packages.version('@huggingface/gguf')}: {headers_read} files, "
           "counts, metadata, shapes, types and offsets equal.", ""] + lines
    out += ["", "## The furthest compute buffers", "", "Beyond 2 %, two per model.", "",
            "| error % | predicted MiB | llama.cpp MiB | case |", "| ---: | ---: | ---: | --- |"]
    for some in shown.values():
        out += [f"| {r.error():+.2f} | {r.ours['compute'] / MIB:.2f} | {r.real['compute']:.2f} | {r.words()} |"
                for r in some[:2]]
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def main():
    program, folder, wrong = sys.argv[1], sys.argv[2], option("--wrong")
    os.makedirs(folder, exist_ok=True)
    note = os.path.join(folder, "skipped")
    if os.path.exists(note):
        os.remove(note)
    try:
        node = packages.fetch(folder)
    except packages.Unavailable as why:
        skip(folder, str(why))
    files = gguf_models.write_all(os.path.join(folder, "models"))
    real = ask_llama(node, files, os.path.join(folder, "answers.jsonl"))
    ours = spoil(ask_steelyard(program, real), wrong)
    asked = [Row(*one, mine) for one, mine in zip(real, ours, strict=True)]
    missed = judge(asked)
    rows = [r for r in asked if not r.refused()]
    lines = table(rows)
    print("\n".join(lines))
    if "--verbose" in sys.argv:
        for r in sorted(rows, key=lambda r: -abs(r.error())):
            print(f"{r.error():+8.2f} %  {r.ours['compute'] / MIB:9.2f}  {r.real['compute']:9.2f}  {r.words()}")
    checked, differ = 0, []
    if wrong in (None, "header"):
        checked, differ = headers.compare(program, node, files, spoilt=wrong == "header")
    missed += differ
    if wrong is None:
        missed += [f"a wrong {how} was not noticed" for how in (*EXACT, "compute", "refusal")
                   if not judge([Row(r.name, r.whole, r.case, r.real, spoil([dict(r.ours)], how)[0])
                                 for r in asked])]
    if option("--record"):
        document(option("--record"), lines, rows, len(asked), missed, checked)
    print(f"headers: {checked} beside @huggingface/gguf, {len(differ)} differences")
    for line in missed[:40]:
        print("MISSED:", line)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
