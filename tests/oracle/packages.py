"""The npm packages that the tests and benchmarks compare with: pinned by tests/oracle/package-lock.json,
fetched once into a folder of their own. Unavailable tells why a machine cannot have them."""
import concurrent.futures
import hashlib
import json
import os
import platform
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("package.json", "package-lock.json")
OLDEST_NODE = 20
# Codes of npm that mean "no way to the registry"; anything else is a fault of ours.
UNREACHABLE = ("ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH",
               "ENETUNREACH", "ERR_SOCKET_TIMEOUT", "EIDLETIMEOUT", "E403", "E407", "E429", "E500", "E502",
               "E503", "E504")


class Unavailable(Exception):
    """Not to be had on this machine: the reason, in words."""


def version(name):
    """"name@version" as pinned."""
    with open(os.path.join(HERE, "package.json")) as file:
        return f"{name}@{json.load(file)['dependencies'][name]}"


def need_node():
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Unavailable(f"the prebuilt llama.cpp is for Linux on x86_64, not for {platform.system()} "
                          f"on {platform.machine()}")
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Unavailable(f"no {program} here (Node.js {OLDEST_NODE} or newer brings both; "
                              "Debian 12 packages 18)")
    told = subprocess.run(["node", "--version"], capture_output=True, text=True)
    words = told.stdout.strip().lstrip("v").split(".")
    if told.returncode != 0 or not words[0].isdigit():
        raise Unavailable("node does not tell its version")
    if int(words[0]) < OLDEST_NODE:
        raise Unavailable(f"Node.js {told.stdout.strip()} is too old, the packages need {OLDEST_NODE} "
                          "(Debian 12 packages 18; nodejs.org has newer ones)")


def fetch(folder):
    """The folder with node_modules. Nothing of the packages runs while they are installed."""
    need_node()
    node, pinned = os.path.join(folder, "node"), hashlib.sha256()
    for name in FILES:
        with open(os.path.join(HERE, name), "rb") as file:
            pinned.update(file.read())
    stamp = os.path.join(node, "installed")
    if os.path.exists(stamp):
        with open(stamp) as file:
            if file.read() == pinned.hexdigest():
                return node
    shutil.rmtree(node, ignore_errors=True)
    os.makedirs(node)
    for name in FILES:
        shutil.copy(os.path.join(HERE, name), node)
    try:
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund",
                               "--fetch-retries=1", "--fetch-timeout=60000"], cwd=node,
                              capture_output=True, text=True, timeout=240)
    except subprocess.TimeoutExpired:
        raise Unavailable("npm fetched nothing in four minutes") from None
    if done.returncode != 0:
        said = done.stderr.strip()
        if any(code in said for code in UNREACHABLE):
            raise Unavailable("npm cannot reach its registry: " + said.splitlines()[0])
        raise RuntimeError("npm could not install the pinned packages:\n" + said[-1500:])
    with open(stamp, "w") as file:
        file.write(pinned.hexdigest())
    return node


def run_scripts(script, node, inputs, timeout=540):
    """The outputs of one run of the script per input, at most as many at a time as there are cores."""
    def one(text):
        return subprocess.run(["node", os.path.join(HERE, script), node], input=text, capture_output=True,
                              text=True, timeout=timeout)

    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        runs = list(pool.map(one, inputs))
    for done in runs:
        if done.returncode != 0:
            raise RuntimeError(f"{script} did not run:\n{done.stderr[-2000:]}")
    return [done.stdout for done in runs]
