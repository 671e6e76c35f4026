// The headers of the files named on stdin (one per line) as @huggingface/gguf reads them: one JSON line each.
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const require = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const {gguf, GGMLQuantizationType} = await import(pathToFileURL(require.resolve("@huggingface/gguf")).href);
const plain = (key, value) => typeof value === "bigint" ? Number(value) : value;
let input = "";
for await (const part of process.stdin) input += part;
for (const file of input.split("\n").filter(Boolean)) {
  const {metadata, tensorInfos, tensorDataOffset} = await gguf(file, {allowLocalFile: true});
  const values = {};
  for (const [key, value] of Object.entries(metadata)) {
    values[key] = Array.isArray(value) && value.length > 4096 ? {length: value.length} : value;
  }
  const tensors = tensorInfos.map(t => [t.name, t.shape, GGMLQuantizationType[t.dtype], t.offset]);
  console.log(JSON.stringify({file, metadata: values, tensors, data_start: tensorDataOffset}, plain));
}
