// How long readers of npm take on headers: readers.mjs NODE_FOLDER GGUF HEADER_BYTES CHECKPOINT RUNS.
// In one process, after one run that warms it up; each run opens the files anew. Prints one JSON line:
// {"reader": {"tensors": count, "times": [milliseconds, ...]}}, or {"reader": {"error": words}}.
import fs from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const [folder, file, headerBytes, checkpoint, runs] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(folder), "package.json"));
const load = async name => import(pathToFileURL(require.resolve(name)).href);
const {gguf} = await load("@huggingface/gguf");
const {readGgufFileInfo} = await load("node-llama-cpp");
const hyllama = path.join(path.resolve(folder), "node_modules", "hyllama");
const entry = JSON.parse(fs.readFileSync(path.join(hyllama, "package.json"))).main;
const {ggufMetadata} = await import(pathToFileURL(path.join(hyllama, entry)).href);
const {parseSafetensorsMetadata} = await load("@huggingface/hub");
const size = Number(headerBytes);

// @huggingface/hub asks a hub; this answers for one out of the folder, without any network.
async function fromFolder(url, {method = "GET", headers} = {}) {
  const name = path.join(checkpoint, path.basename(new URL(url).pathname));
  if (!fs.existsSync(name)) return new Response("", {status: 404, headers: {"X-Error-Code": "EntryNotFound"}});
  const whole = fs.statSync(name).size;
  const range = /bytes=(\d+)-(\d+)?/.exec(new Headers(headers).get("Range") ?? "");
  const from = range ? Number(range[1]) : 0;
  const to = Math.min(whole, range?.[2] ? Number(range[2]) + 1 : range ? from + 1 : whole);
  const about = {"ETag": "\"1\"", "Content-Length": String(method === "HEAD" ? whole : to - from),
    "Content-Range": `bytes ${from}-${to - 1}/${whole}`, "X-Linked-Size": String(whole)};
  if (method === "HEAD") return new Response(null, {status: 200, headers: about});
  const bytes = Buffer.alloc(to - from), handle = fs.openSync(name, "r");
  fs.readSync(handle, bytes, 0, bytes.length, from);
  fs.closeSync(handle);
  return new Response(bytes, {status: range ? 206 : 200, headers: about});
}

const readers = {
  "@huggingface/gguf": async () => (await gguf(file, {allowLocalFile: true})).tensorInfos.length,
  "hyllama": () => {
    const handle = fs.openSync(file, "r"), bytes = new Uint8Array(size);
    fs.readSync(handle, bytes, 0, size, 0);
    fs.closeSync(handle);
    return ggufMetadata(bytes.buffer).tensorInfos.length;
  },
  "node-llama-cpp": async () => (await readGgufFileInfo(file, {logWarnings: false})).tensorInfo.length,
  "@huggingface/hub": async () => {
    const {headers} = await parseSafetensorsMetadata({repo: "o/m", path: "model.safetensors.index.json",
      hubUrl: "http://127.0.0.1:9", fetch: fromFolder});
    return Object.values(headers).reduce((n, h) => n + Object.keys(h).length - ("__metadata__" in h), 0);
  }
};
const out = {};
for (const [name, read] of Object.entries(readers)) {
  try {
    const tensors = await read(), times = [];  // the first run warms up
    for (let i = 0; i < Number(runs); ++i) {
      const begin = performance.now();
      await read();
      times.push(performance.now() - begin);
    }
    out[name] = {tensors, times};
  } catch (error) {
    out[name] = {error: String(error.stack).slice(0, 600)};
  }
}
console.log(JSON.stringify(out));
process.exit(0);
