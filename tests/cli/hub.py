#!/usr/bin/env python3
"""Sizes models from a hub on the loopback that behaves and misbehaves."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "tests", "servers"))
import hub  # noqa: E402

failures, count = [], 0


def check(name, condition, detail=""):
    global count
    count += 1
    if not condition:
        failures.append(name)
        print(f"FAILED {name}\n{detail}")


def repo_of(folder):
    files = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            files[name] = (file.read(1 << 20), os.path.getsize(path))
    return files


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = [sys.executable, os.path.join(ROOT, "tests", "tools", "make_headers")]
        many, one = os.path.join(folder, "many"), os.path.join(folder, "one")
        gguf = os.path.join(folder, "gguf")
        os.mkdir(gguf)
        subprocess.run(tool + ["safetensors", many, "60", "4", "60"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(tool + ["safetensors", one, "4", "2", "1"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(tool + ["gguf", os.path.join(gguf, "m-Q4_K_M.gguf")], check=True, stdout=subprocess.DEVNULL)
        repos = {"o/many": repo_of(many), "o/single": repo_of(one), "o/gguf": repo_of(gguf)}
        data = repos["o/gguf"]["m-Q4_K_M.gguf"]
        with open(os.path.join(gguf, "m-Q4_K_M.gguf"), "rb") as file:
            data = (file.read(16 << 20), data[1])
        repos["o/gguf"] = {"m-Q4_K_M.gguf": data, "m-Q8_0.gguf": data}
        server = hub.Hub(repos)
        cases(server, folder, {"many": many, "one": one, "gguf": os.path.join(gguf, "m-Q4_K_M.gguf")})


def cases(server, folder, local):
    cache = os.path.join(folder, "cache")

    def run(words, **more):
        env = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C", "XDG_CACHE_HOME": cache,
               "HF_ENDPOINT": server.address, "MODELSCOPE_ENDPOINT": server.address, **more}
        return subprocess.run([PROGRAM] + words, env=env, capture_output=True, text=True, timeout=60)

    def weight(words):
        done = run(["size"] + words + ["--json"])
        if done.returncode != 0:
            return done.stderr
        return json.loads(done.stdout)["model"]

    for model, path, most in (("hf:o/many", local["many"], 5_000_000),
                              ("hf:o/single", local["one"], 300_000),
                              ("ms:o/single", local["one"], 300_000),
                              ("hf:o/gguf:Q4_K_M", local["gguf"], 20_000_000)):
        got, known = weight([model]), weight([path])
        good = isinstance(got, dict) and isinstance(known, dict)
        check(f"{model} is sized", good, str(got) + str(known))
        if good:
            check(f"{model} weighs what the files do", got["weight_bytes"] == known["weight_bytes"], str(got))
            check(f"{model} costs few bytes", 0 < got["fetched"]["bytes"] < most, str(got["fetched"]))
            print(model, got["fetched"], got["weight_bytes"])
    again = weight(["hf:o/many"])
    check("a second run asks once", isinstance(again, dict) and again["fetched"]["requests"] == 1, str(again))
    server.seen.clear()
    check("--offline answers from the cache", isinstance(weight(["hf:o/many", "--offline"]), dict))
    check("--offline asks nobody", not server.seen, str(server.seen))
    for file in glob.glob(cache + "/steelyard/hub/*"):
        with open(file, "r+b") as damaged:
            damaged.seek(60)
            damaged.write(b"\0\0\0\0")
    healed = weight(["hf:o/many"])
    check("a damaged cache is fetched again", isinstance(healed, dict) and healed["fetched"]["requests"] > 1, str(healed))
    kept = sorted(os.listdir(cache + "/steelyard/hub"))
    for model, words in (("hf:o/gated", "licence.*HF_TOKEN"), ("hf:o/limited", "wait 17 s"),
                         ("hf:o/down", "later"), ("hf:o/html", "web page"), ("hf:o/cut", "broke off"),
                         ("hf:o/loop", "redirects"), ("hf:o/deep", "."), ("hf:o/none", "hub has no o/none"),
                         ("hf:o/gguf", "2 GGUF models.*name one"), ("hf:o/gguf:Q5_K_M", "has no GGUF"),
                         ("hf:o/bad-gated", "licence"), ("hf:o/bad-page", "web page"),
                         ("hf:o/bad-short", "broke off"), ("hf:o/bad-other", "another part"),
                         ("hf:o/bad-claim", "claims a header"), ("hf:o/new --offline", "--offline"),
                         ("hf:o", "names no repository")):
        done = run(["size"] + model.split())
        check(model + ": exit 2", done.returncode == 2, done.stdout[:300] + done.stderr)
        check(model + ": the way out", re.search("(?s)" + words, done.stderr) and "try" in done.stderr, done.stderr)
    check("nothing is kept after an error", sorted(os.listdir(cache + "/steelyard/hub")) == kept)
    check("a hub without ranges costs the cap", isinstance(weight(["hf:o/bad-norange"]), dict))
    renamed = weight(["hf:o/renamed"])
    check("a renamed repository", "now called o/single" in str(renamed), str(renamed))
    server.seen.clear()
    run(["size", "hf:o/none"], HF_TOKEN="hf_secret")
    check("the token is sent", "Bearer hf_secret" in str(server.seen), str(server.seen))
    server.seen.clear()
    moved = run(["size", "hf:o/bad-moved"], HF_TOKEN="hf_secret")
    check("a redirect to another host is followed", moved.returncode == 0, moved.stderr)
    at_cdn = [headers for path, headers in server.seen if path.startswith("/cdn/")]
    at_hub = [headers for path, headers in server.seen if not path.startswith("/cdn/")]
    check("the token goes to the hub", at_hub and all("Authorization" in h for h in at_hub), str(server.seen))
    check("and to no other host", at_cdn and not any("Authorization" in h for h in at_cdn), str(at_cdn))
    proxied = run(["size", "hf:o/single"], HF_ENDPOINT="http://hub.example", HTTP_PROXY=server.address,
                  XDG_CACHE_HOME=os.path.join(folder, "elsewhere"))
    check("a proxy is asked for the whole address", "http://hub.example/api" in str(server.seen), proxied.stderr)
    server.seen.clear()
    run(["size", "hf:o/single"], HF_ENDPOINT="http://hub.example",
        HTTP_PROXY=server.address.replace("http://", "http://user:p%40ss@"),
        XDG_CACHE_HOME=os.path.join(folder, "third"))
    check("a proxy gets its password", "Basic dXNlcjpwQHNz" in str(server.seen), str(server.seen)[:500])
    for proxy in ("socks5://127.0.0.1:9", "garbage://x"):
        server.seen.clear()
        done = run(["size", "hf:o/new"], HTTP_PROXY=proxy)
        check(proxy + " is not gone past", done.returncode == 2 and not server.seen, done.stderr)
    secret = run(["size", "hf:o/x"], HF_ENDPOINT="http://user:swordfish@127.0.0.1:1")
    check("a password is not shown", "swordfish" not in secret.stderr and "HF_ENDPOINT" in secret.stderr, secret.stderr)
    for endpoint, words in (("http://127.0.0.1:1", "no connection"), ("http://no.invalid", "looked up"),
                            (server.address.replace("http", "https"), "prove|connection")):
        done = run(["size", "hf:o/x"], HF_ENDPOINT=endpoint)
        check(endpoint, done.returncode == 2 and re.search(words, done.stderr), done.stderr)


main()
print(f"{count - len(failures)} passed, {len(failures)} failed")
sys.exit(1 if failures or count < 40 else 0)
