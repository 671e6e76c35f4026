"""A model hub on the loopback that speaks the resolve protocol, and misbehaves when it is told to.

The repository's name says how it misbehaves: `o/gated`, `o/slow`, `o/html` ...
"""
import hashlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = hashlib.sha1(b"commit").hexdigest()


class Hub(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, repos):
        super().__init__(("127.0.0.1", 0), Answer)
        self.repos = repos  # "org/name" -> {file: (first bytes, whole size)}
        self.seen = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *words):
        pass

    def reply(self, status, body=b"", headers=None, length=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        scope = re.match(r"/api/v1/models/([^/]+/[^/]+)/repo(/files)?\?(.*)", self.path)
        api = re.match(r"/api/models/([^/]+/[^/]+)/revision/", self.path)
        file = re.match(r"/([^/]+/[^/]+)/resolve/[^/]+/(.+)", self.path)
        if scope and scope[2]:
            return self.listing(scope[1], scope=True)
        if scope:
            if not re.search("Revision=(master|v1)(&|$)", scope[3]):
                return self.reply(404, headers={"X-Error-Code": "RevisionNotFound"})
            return self.file(scope[1], re.search("FilePath=([^&]+)", scope[3])[1])
        cdn = re.match(r"/cdn/(.+)", self.path)
        if cdn:
            return self.file("o/single", cdn[1])
        if api:
            return self.listing(api[1])
        if file:
            return self.file(file[1], file[2])
        return self.reply(404)

    def listing(self, repo, scope=False):
        refusals = {"o/gated": (403, {"X-Error-Code": "GatedRepo"}),
                    "o/limited": (429, {"Retry-After": "17"}), "o/down": (503, {}),
                    "o/renamed": (307, {"Location": "/api/models/o/single/revision/main"}),
                    "o/loop": (302, {"Location": "/api/models/o/loop/revision/main"})}
        if repo in refusals:
            return self.reply(refusals[repo][0], headers=refusals[repo][1])
        if repo == "o/html":
            return self.reply(200, b"<!DOCTYPE html><p>log in", {"Content-Type": "text/html"})
        if repo == "o/deep":
            return self.reply(200, b'{"siblings":' + b"[" * 1000000)
        if repo == "o/cut":
            self.reply(200, b'{"siblings"', length=1000)
            self.close_connection = True
            return None
        files = self.server.repos.get("o/single" if repo.startswith("o/bad-") else repo)
        if files is None:
            return self.reply(404, headers={"X-Error-Code": "RepoNotFound"})
        if scope:
            listed = [{"Path": n, "Size": s, "Type": "blob"} for n, (_, s) in files.items()]
            return self.reply(200, json.dumps({"Code": 200, "Data": {"Files": listed}}).encode())
        listed = [{"rfilename": name, "size": size} for name, (_, size) in files.items()]
        return self.reply(200, json.dumps({"id": repo, "sha": COMMIT, "siblings": listed}).encode())

    def file(self, repo, name):
        files = self.server.repos.get("o/single" if repo.startswith("o/bad-") else repo, {})
        if name not in files:
            return self.reply(404, headers={"X-Error-Code": "EntryNotFound"})
        data, size = files[name]
        wanted = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        first, last = (int(wanted[1]), min(int(wanted[2]), size - 1)) if wanted else (0, size - 1)
        if repo == "o/bad-moved":  # to another host, as hubs send weights to their CDN
            port = self.server.server_address[1]
            return self.reply(302, headers={"Location": f"http://localhost:{port}/cdn/{name}"})
        if repo == "o/bad-gated":
            return self.reply(401, headers={"X-Error-Code": "GatedRepo"})
        if repo == "o/bad-page":
            return self.reply(200, b"<html>pay first</html>", {"Content-Type": "text/html"})
        if repo == "o/bad-norange":
            return self.reply(200, (data + bytes(1 << 20))[:1 << 20], length=1 << 20)
        piece = data[first:last + 1]
        piece += bytes(last + 1 - first - len(piece))
        headers = {"Content-Range": f"bytes {first}-{last}/{size}", "X-Repo-Commit": COMMIT}
        if repo == "o/bad-short":
            self.reply(206, piece[:10], headers, length=len(piece))
            self.close_connection = True
            return None
        if repo == "o/bad-other":
            headers["Content-Range"] = f"bytes {first + 5}-{last + 5}/{size}"
        if repo == "o/bad-claim":
            piece = b"\xff" * 8 + piece[8:]
        return self.reply(206, piece, headers)
