#!/usr/bin/env python3
"""The ways out of run.py: a machine without the packages is skipped with its reason, a wrong prediction or
a broken list of packages is red.

    paths.py STEELYARD_ORACLE FOLDER      (FOLDER as run.py left it)
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.join(HERE, "run.py")
SKIPPED = 77


def run(words, path=None, script=RUN, **more):
    env = {**os.environ, **more}
    if path is not None:
        env["PATH"] = path
    done = subprocess.run([sys.executable, script] + words, capture_output=True, text=True, env=env)
    return done.returncode, done.stdout + done.stderr


def stand_in(folder, name, says):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\necho {says}\n")
    os.chmod(path, 0o755)


def main():
    program, folder = sys.argv[1], sys.argv[2]
    failed = []

    def expect(what, got, code, words):
        if got[0] != code or words not in got[1]:
            failed.append(f"{what}: ended with {got[0]}, not {code} with \"{words}\":\n{got[1][-600:]}")

    with tempfile.TemporaryDirectory() as scratch:
        def fresh(name):
            made = os.path.join(scratch, name)
            os.mkdir(made)
            return made

        empty, old = fresh("empty"), fresh("old")
        no_npm = fresh("no-npm")
        stand_in(no_npm, "node", "v22.0.0")
        stand_in(old, "node", "v18.20.4")
        stand_in(old, "npm", "9.2.0")
        expect("no node", run([program, fresh("a")], path=empty), SKIPPED, "no node here")
        expect("no npm", run([program, fresh("b")], path=no_npm), SKIPPED, "no npm here")
        expect("an old node", run([program, fresh("c")], path=old), SKIPPED, "v18.20.4 is too old")
        if shutil.which("node") is None or shutil.which("npm") is None:
            print("without node and npm, only the ways out before them were taken")
        else:
            # A cache of its own, or npm would find the packages there without asking.
            expect("a registry that refuses",
                   run([program, fresh("d")], npm_config_registry="http://127.0.0.1:9/",
                       npm_config_cache=fresh("cache"), npm_config_fetch_retries="0"),
                   SKIPPED, "cannot reach its registry")
            broken = fresh("broken")
            for name in os.listdir(HERE):
                if os.path.isfile(os.path.join(HERE, name)):
                    shutil.copy(os.path.join(HERE, name), broken)
            with open(os.path.join(broken, "package.json"), "w") as file:
                file.write('{"dependencies": {"hyllama": "0.2.1"}}')
            expect("a list that its lock contradicts",
                   run([program, fresh("e")], script=os.path.join(broken, "run.py")),
                   1, "could not install the pinned packages")
        if not os.path.exists(os.path.join(folder, "answers.jsonl")):
            print("llama.cpp was not asked on this machine: wrong predictions were not tried")
        else:
            # run.py itself tries all kinds of wrong predictions and a wrong header on every run.
            expect("wrong predictions", run([program, folder, "--saved", "--wrong", "compute"]), 1,
                   "MISSED: compute:")
    for line in failed:
        print("FAILED:", line)
    sys.exit(1 if failed else 0)


main()
