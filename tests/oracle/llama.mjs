// Asks the real llama.cpp (node-llama-cpp's prebuilt library) for its buffers: reads
// [{file, cases: [{context, sequences, flash, keys, values, batch}], allocate}] from stdin, prints one
// JSON line per case with the lines of the log. Run with the folder of node_modules as argument.
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const require = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);

let lines = [];
const llama = await getLlama({
  gpu: false, build: "never", skipDownload: true, progressLogs: false, logLevel: "debug",
  logger: (level, message) => lines.push(...message.split("\n"))
});
// The wrapper rounds what it is asked for; the objects below it take llama.cpp's own parameters.
const {AddonModel, AddonContext, getGgmlType} = llama._bindings;
const type = name => getGgmlType(name.toUpperCase()) ?? getGgmlType(name);
const settle = () => new Promise(done => setTimeout(done, 0));

let input = "";
for await (const part of process.stdin) input += part;
for (const {file, allocate, cases} of JSON.parse(input)) {
  // Without allocation the library plans every buffer and prints the sizes, but takes no memory.
  const model = new AddonModel(file, {addonExports: llama._bindings, noAlloc: !allocate, useMmap: true,
    gpuLayers: 0});
  const loaded = await model.init();
  for (const one of cases) {
    await settle();
    lines = [];
    let context = null, error = null;
    try {
      context = new AddonContext(model, {contextSize: one.context, batchSize: one.batch,
        sequences: one.sequences, flashAttention: one.flash, kvCacheKeyType: type(one.keys),
        kvCacheValueType: type(one.values), threads: 1});
      if (!loaded || !await context.init()) error = "refused";
    } catch (e) {
      error = String(e);
    }
    await settle();
    console.log(JSON.stringify({...one, file, allocate, error,
      log: lines.filter(l => /size|n_ctx|error|failed|attn_rot|fused/i.test(l))}));
    if (context && !error) await context.dispose();
  }
  await model.dispose();
}
process.exit(0);
