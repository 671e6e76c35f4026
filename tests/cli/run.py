#!/usr/bin/env python3
"""Runs the program as people and scripts do: pipe, terminal, bad words, full disk, empty folder."""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile

import jsonschema

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(sys.argv[2])
FIXTURES = os.path.join(ROOT, "tests", "fixtures")
LOGS = os.path.join(ROOT, "tests", "cli", "logs")
SCHEMAS = {}
failures = []
count = 0


def check(name, condition, detail=""):
    global count
    count += 1
    if not condition:
        failures.append(name)
        print(f"FAILED {name}\n{detail}")


def run(words, folder=None, env=None, stdout=subprocess.PIPE):
    clean = {"PATH": os.environ.get("PATH", ""), "HOME": folder or "/nonexistent", "LC_ALL": "C"}
    clean.update(env or {})
    return subprocess.run([PROGRAM] + words, stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, cwd=folder, env=clean, timeout=60)


def schema(name):
    if name not in SCHEMAS:
        with open(os.path.join(ROOT, "data", "schemas", name + ".json")) as file:
            SCHEMAS[name] = json.load(file)
    return SCHEMAS[name]


# words, exit code, pattern on standard output, pattern on standard error
CASES = [
    ([], 0, r"steelyard size", r"^$"),
    (["help"], 0, r"(?s)size .*gpus", r"^$"),
    (["help", "size"], 0, r"--gpu NAME", r"^$"),
    (["help", "metrics"], 0, r"TTFT", r"^$"),
    (["size", "--help"], 0, r"Exit codes", r"^$"),
    (["--version"], 0, r"^steelyard \d", r"^$"),
    (["sise"], 2, r"^$", r"did you mean size"),
    (["plan", "7b"], 2, r"^$", r"later work"),
    (["size"], 2, r"^$", r"needs a MODEL"),
    (["size", "7b", "--gpuu", "T4"], 2, r"^$", r"did you mean --gpu"),
    (["size", "7b", "--gpu", "RTX 5095"], 2, r"^$", r"no card is called 'RTX 5095'"),
    (["size", "7b", "--gpu", "T4:0"], 2, r"^$", r"number of cards"),
    (["size", "7b", "--gpu", "T4", "--context", "8kb"], 2, r"^$", r"--context"),
    (["size", "7b", "--gpu", "T4", "--context", "4k", "--context", "8k"], 2, r"^$", r"2 times"),
    (["size", "7b", "--gpu", "T4", "--weights", "q9_z"], 2, r"^$", r"q9_z"),
    (["size", "7b", "--gpu", "T4", "--engine", "vlm"], 2, r"^$", r"vllm"),
    (["size", "7b", "--gpu", "A100 40GB", "--mode", "lora"], 0, r"(?s)^YES .*adapters.*process", r"^$"),
    (["size", "7b", "--gpu", "T4", "--mode", "qlora"], 0, r"(?s)^YES .*as stored", r"^$"),
    # A checkpoint in eight bits is packed in four for QLoRA, one in four stays.
    (["size", "deepseek-v3", "--mode", "qlora"], 0, r"weights +(3[2-9]\d|40\d) GiB", r"^$"),
    (["size", "gpt-oss-20b", "--mode", "qlora"], 0, r"weights +1[1-3]\.\d GiB", r"^$"),
    (["size", "7b", "--mode", "full"], 0, r"(?s)^SUM .*16 B per parameter .*A100", r"^$"),
    (["size", "7b", "--gpu", "4090", "--mode", "full"], 1, r"(?s)^NO .*closest.*qlora", r"^$"),
    (["size", "7b", "--gpu", "H100:8", "--mode", "pretrain", "--framework", "megatron", "--tp", "8",
      "--pp", "1"], 0, r"(?s)^(YES|TIGHT) .*master weights", r"^$"),
    (["size", "7b", "--gpu", "H100:3", "--mode", "full", "--framework", "megatron", "--tp", "2"], 2,
     r"^$", r"not a multiple"),
    (["size", "7b", "--gpu", "T4", "--mode", "lora", "--rank", "0"], 2, r"^$", r"--rank"),
    (["size", "7b", "--gpu", "T4", "--mode", "lora", "--micro-batch", "-1"], 2, r"^$",
     r"--micro-batch"),
    (["size", "7b", "--gpu", "T4", "--mode", "lora", "--micro-batch", "0"], 2, r"^$",
     r"--micro-batch"),
    (["size", "7b", "--gpu", "T4", "--mode", "lora", "--optimizer", "adamq"], 2, r"^$",
     r"adamw-8bit"),
    (["size", "7b", "--gpu", "T4", "--mode", "lora", "--targets", "nose"], 2, r"^$", r"--targets"),
    (["size", "7b", "--gpu", "H100:2", "--mode", "full", "--framework", "deepspeed", "--pp", "2",
      "--zero", "3"], 2, r"^$", r"ZeRO"),
    (["size", "7b", "--gpu", "T4", "--optimizer", "adamw"], 2, r"^$", r"--mode full"),
    (["size", "7b", "--gpu", "T4", "--mode", "full", "--zero", "4"], 2, r"^$", r"--zero"),
    (["models", "--gpu", "T4", "--mode", "lora"], 2, r"^$", r"--mode"),
    (["size", "7b", "--gpu", "H200", "--mode", "full", "--rank", "8", "--kv", "fp8"], None,
     r"(?s)--kv changes nothing.*--rank changes nothing", r"^$"),
    (["size", "7b", "--gpu", "4090", "--mode", "qlora", "--framework", "unsloth", "--zero", "3"], 2,
     r"^$", r"--zero"),
    (["size", "7b", "--gpu", "4090", "--mode", "lora", "--padding-free", "--flash-attention", "off"],
     2, r"^$", r"--padding-free"),
    (["size", "qwen3-32b", "--gpu", "H100:8", "--mode", "full", "--framework", "deepspeed", "--zero",
      "3", "--optimizer-offload", "cpu", "--offload", "cpu"], 0, r"(?s)host memory", r"^$"),
    (["size", "7b", "--gpu", "T4", "--lang", "zh"], 2, r"^$", r"later work"),
    (["size", "7b", "--gpu", "T4", "-o", "x.html"], 2, r"^$", r"later work"),
    (["size", "7b", "--gpu", "T4", "-o", "x.doc"], 2, r"^$", r"names no format"),
    (["size", "7b", "--gpu", "T4", "-o", "/nonexistent/x.json"], 2, r"^$", r"cannot write"),
    (["size", "7b", "8b"], 2, r"^$", r"one too many"),
    (["size", "7b", "--gpu"], 2, r"^$", r"--gpu needs a value"),
    (["size", "7b", "--json=3"], 2, r"^$", r"--json takes no value"),
    (["size", "config.json", "--gpu", "T4", "-o", "config.json"], 2, r"^$", r"stays as it is"),
    (["size", ".", "--gpu", "T4", "-o", "./config.json"], 2, r"^$", r"stays as it is"),
    (["size", "loop.json", "--gpu", "T4"], 2, r"^$", r"links lead back"),
    (["size", "nowhere.json", "--gpu", "T4"], 2, r"^$", r"No such file"),
    (["size", "odd.json", "--gpu", "4090"], 0, "^[^\x07\x1b\x9b]*$", r"^$"),
    (["models", "odd.json"], 0, "^[^\x07\x1b\x9b]*$", r"^$"),
    (["size", "\x1b[2J", "--gpu", "4090"], 2, r"^$", "^[^\x1b]*$"),
    (["size", "zero.gguf", "--gpu", "4090"], 2, r"^$", r"GGUF version 0"),
    (["size", "no-such-model-anywhere"], 2, r"^$", r"no-such-model-anywhere"),
    (["size", "70b", "--gpu", "A100 80GB"], 1, r"^NO ", r"^$"),
    (["size", "70b", "--gpu", "A100 80GB", "--fail-on", "never"], 0, r"^NO ", r"^$"),
    (["size", "7b", "--gpu", "H200"], 0, r"^YES ", r"^$"),
    (["size", "7b", "--gpu", "H200", "-q"], 0, r"^YES [^\n]*\n[^\n]{0,100}$", r"^$"),
    (["size", "27b", "--weights", "fp8"], 0, r"(?s)smallest cards.*1x L40S \(48 GB\).*2x GeForce RTX 4090", r"^$"),
    (["size", "70b"], 0, r"(?s)smallest cards.*1x B200.*2x A100 SXM4 80GB.*4x L40S", r"^$"),
    (["size", "deepseek-ai/DeepSeek-R1"], 0, r"(?s)smallest cards.*8x H200 SXM 141GB", r"^$"),
    (["size", "40b", "--gpu", "A100 80GB"], 1, r"GiB", r"^$"),
    (["size", "qwen3-32b", "--weights", "awq", "--gpu", "4090", "--engine", "vllm@0.11",
      "--max-batched-tokens", "2048", "--context", "4k"], 0, r"KV cache", r"^$"),
    (["size", "7b", "--gpu", "4090", "--weights", "q4_k_m", "--engine", "llama.cpp", "--kv", "q8_0"], None,
     r"(?s)quality +q4_k_m: KL divergence 0.031.*quality +KV q8_0: KL", r"^$"),
    (["size", "7b", "--gpu", "4090", "--weights", "nf4"], None, r"bnb-nf4: not established", r"^$"),
    (["size", "7b", "--gpu", "4090:2"], 0, r"tensor-parallel-size 2", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--weights", "fp8"], 0, r"serve Qwen/Qwen3-8B --quantization fp8", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--weights", "awq"], 0, r"serve 'AWQ build of Qwen/Qwen3-8B'", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--context", "100k"], None, r"made for 40,960 tokens", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--engine", "sglang", "--kv", "q8_0"], 2, r"^$", r"no KV cache format"),
    (["size", "Qwen/Qwen3-235B-A22B-FP8", "--gpu", "H100:8"], 1, r"(?s)^NO .*no multiple of.*the 128", r"^$"),
    (["size", "Qwen/Qwen3-235B-A22B-FP8", "--gpu", "H100:8", "--ep", "8"], 0, r"^YES", r"^$"),
    (["size", "Qwen/Qwen3-235B-A22B-FP8", "--gpu", "H100:4"], None, r"^(?!NO  an expert)", r"^$"),
    (["size", "qwen3-32b", "--gpu", "4090", "-w", "q4_k_m", "-c", "16k"], 0,
     r"(?s)1\.0\s+sequences of this\s+length.*llama-server", r"^$"),
    (["size", "llama-3.3-70b", "--gpu", "M4 Max 64GB", "-w", "q4_k_m"], None, r"llama-server", r"^$"),
    (["size", "qwen3-8b", "--gpu", "M4 Max 64GB"], 0, r"llama-server", r"^$"),
    (["size", "gpt-oss-20b", "--gpu", "3090", "-e", "ollama"], None, r"the Ollama name of openai/gpt-oss-20b", r"^$"),
    (["size", "qwen-image", "--gpu", "4090"], 2, r"(?s)size is known fit.*not\s+known", r"^$"),
    (["models", "--gpu", "H100:8", "-c", "32k"], 0, r"DeepSeek-R1", r"^$"),
    (["size", "a$(touch PW).gguf", "--gpu", "4090"], 0, r"-m 'a\$\(touch PW\)\.gguf'", r"^$"),
    (["size", "lines.json", "--gpu", "4090"], 0, r"^(?!(?s:.*)\nNO  fake)", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "-e", "llama.cpp", "--flash-attention", "off", "--kv", "q8_0"], 1,
     r"^NO  a quantised V cache", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "-e", "llama.cpp", "-w", "awq"], 1, r"^NO  llama.cpp reads GGUF only", r"^$"),
    (["size", "7b", "--gpu-memory", "0"], 2, r"^$", r"without memory"),
    (["size", "7b", "--gpu-memory", "24GiB", "--gpu", "H100", "--gpu", "4090"], 2, r"^$", r"several are named"),
    (["size", "7b", "--gpu-memory", "24GiB", "--gpu-bandwidth", "nan"], 2, r"^$", r"--gpu-bandwidth"),
    (["size", "7b", "--gpu-memory", "24GiB", "--gpu-bf16", "-5"], 2, r"^$", r"--gpu-bf16"),
    (["size", "Qwen/Qwen2.5-7B-Instruct", "--against", LOGS + "/vllm-0.8.1-v0.log"], 0,
     r"(?s)^AGREES .*vllm 0.8.1.*budget +19.8.*KV pool.*pool tokens +75,856.*has room", r"^$"),
    (["size", "qwen3-8b", "--against", LOGS + "/vllm-0.11.0.log", "--gpu", "5090"], 1,
     r"(?s)^OFF .*unexplained.*what the others leave.*89,056\s+tokens.*corrected +--memory-utilization 0.95", r"^$"),
    (["size", "qwen3-8b", "--against", LOGS + "/vllm-0.11.0.log"], 0,
     r"(?s)^AGREES .*KV pool +12.2 GiB +- .*name the card", r"^$"),
    (["size", "qwen3-8b", "--against", LOGS + "/vllm-0.11.0.log", "--gpu", "5090", "--kv", "fp8",
      "--context", "4k", "--concurrency", "3"], 1,
     r"(?s)--kv fp8 was given, the log says bf16 \(line 4\).*4,096 tokens.*29,680 tokens with 3", r"^$"),
    (["size", "qwen3-8b", "--against", LOGS + "/vllm-0.11.0.log", "--gpu", "5090", "--fail-on", "never", "-q"], 0,
     r"^OFF [^\n]*\n[^\n]*\n$", r"^$"),
    (["size", "qwen3-32b", "--against", LOGS + "/vllm-tp4-0.20.2.log", "--gpu", "L40S:2"], 0,
     r"(?s)4 ranks KV pool +24.1.*--gpu L40S:2 was given,.*says 4\s+cards.*corrected +--tp 4 ", r"^$"),
    (["size", "qwen3-32b", "--against", LOGS + "/vllm-tp4-0.20.2.log", "--gpu", "L40S", "--tp", "2"], 1,
     r"(?s)--tp 2 was given, the log says 4 \(line 2\)", r"^$"),
    (["size", "meta-llama/Meta-Llama-3-8B", "--against", LOGS + "/sglang.log"], 0,
     r"(?s)^AGREES .*pool tokens +871,371 +871,", r"^$"),
    (["size", "meta-llama/Meta-Llama-3-8B", "-w", "q4_k_m", "--against", LOGS + "/llama-b2700.log"], 0,
     r"(?s)^AGREES .*b2700.*CUDA0 kv buffer +1.00 GiB +1.00 GiB", r"^$"),
    (["size", "qwen3-8b", "--against", LOGS + "/llama-b2700.log"], 1,
     r'(?s)^OFF .*the log loads "Meta-Llama-3-8B-Q4_K_M.gguf" \(line 4\)', r"^$"),
    (["size", "meta-llama/Meta-Llama-3.1-70B", "--against", LOGS + "/llama-2gpu-b6990.log", "--context", "2k"], 0,
     r"(?s)^AGREES .*CUDA1 model.*would hold 4 in as many slots.*--weights Q4_K_M \(line 5\)", r"^$"),
    (["size", "qwen3-30b-a3b", "-w", "q6_k", "--against", LOGS + "/llama-cpu-b6123.log"], 0,
     r"(?s)^AGREES .*CPU_Mapped model buffer", r"^$"),
    (["size", "meta-llama/Meta-Llama-3-8B", "-w", "q4_k_m", "--against", LOGS + "/ollama-0.11.6.log"], 0,
     r"(?s)^AGREES .*ollama 0.11.6.*left ", r"^$"),
    (["size", "qwen3-32b", "--against", LOGS + "/vllm-oom.log"], 2, r"^$",
     r"(?s)did not come as far.*line 4: .*CUDA out of memory.*where .*line 4"),
    (["size", "7b", "--against", "empty"], 2, r"^$", r"(?s)the log is empty.*vLLM, SGLang, llama.cpp or Ollama"),
    (["size", "7b", "--against", "config.json"], 2, r"^$", r"no line of an engine's start"),
    (["size", "7b", "--against", "zero.gguf"], 2, r"^$", r"no text"),
    (["size", "7b", "--against", "."], 2, r"^$", r"a folder, not a log"),
    (["size", "7b", "--against", "nowhere.log"], 2, r"^$", r"No such file"),
    (["size", "7b", "--against", "-"], 2, r"^$", r"the log is empty"),
    (["size", "7b", "--against", LOGS + "/sglang.log", "--engine", "vllm"], 2, r"^$", r"the log is of sglang \(line 1"),
    (["size", "7b", "--against", LOGS + "/sglang.log", "--engine", "transformers"], 2, r"^$", r"are not read"),
    (["size", "7b", "--against", LOGS + "/sglang.log", "--mode", "lora"], 2, r"^$", r"not --mode lora"),
    (["size", "7b", "--against", LOGS + "/sglang.log", "-g", "H100", "-g", "H200"], 2, r"^$", r"a log is of one machine"),
    (["size", "qwen-image", "--against", LOGS + "/sglang.log"], 2, r"^$", r"image or video model"),
    (["size", "7b", "--against", LOGS + "/sglang.log", "-o", LOGS + "/sglang.log"], 2, r"^$", r"names no format|stays as it is"),
    (["help", "plan"], 2, r"^$", r"later work"),
    (["size", "\x1b[31mx"], 2, r"^$", "^[^\x1b]*$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--memory-in-use", "3GiB", "--memory-utilization", "0.92"], 1,
     r"(?s)^NO  --memory-utilization 0.92 asks for.*give\s+0.87", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--memory-in-use", "3GiB", "--memory-utilization", "0.87"], None,
     r"^(?!NO)", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--max-num-seqs", "256", "--max-batched-tokens", "1"], 1,
     r"^NO  --max-batched-tokens 1 is less", r"^$"),
    (["size", "7b", "--gpu-memory", "24"], 2, r"^$", r"24GiB"),
    (["size", "qwen3-32b", "--gpu", "RTX 4090", "--engine", "llama.cpp", "--weights", "q4_k_m"],
     None, r"compute|activations|runtime", r"^$"),
    (["size", "Qwen/Qwen3-32B", "--gpu", "RTX 4090"], 1, r"weights awq, at most 16 sequences admitted", r"^$"),
    (["size", "7b", "--gpu-memory", "24GiB"], 0, r"^(YES|TIGHT) ", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--dtype", "banana"], 2, r"^$", r"--dtype"),
    (["size", "qwen3-8b", "--gpu", "4090", "--kv", ","], 2, r"^$", r"names no format"),
    (["size", "qwen3-8b", "--gpu", "4090", "--kv", "fp8,bf16"], 2, r"^$", r"stores them apart"),
    (["size", "qwen3-8b", "--gpu", "4090", "--tp", "3"], 2, r"^$", r"legal values"),
    (["size", "qwen3-8b", "--gpu", "4090:2", "--tp", "8"], 2, r"^$", r"needs 8 cards"),
    (["size", "qwen3-8b", "--gpu", "4090", "--ubatch", "512"], 0, r"--ubatch changes nothing", r"^$"),
    (["size", "qwen3-8b", "--gpu", "A100 80GB", "--weights", "fp8"], 0, r"has no FP8 units", r"^$"),
    (["size", "qwen3-8b", "--gpu", "MI300X", "--engine", "tensorrt-llm"], 1,
     r"(?s)^NO  tensorrt-llm does not run on the Instinct MI300X.*engine vllm", r"^$"),
    (["size", "qwen3-8b", "--gpu", "Tesla P40"], 1, r"(?s)^NO  vllm does not run.*engine llama.cpp", r"^$"),
    (["size", "qwen3-8b", "--gpu", "T4:4"], None, r"(?s)no bfloat16.*--dtype half", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--engine", "vllm@9.9"], 0, r"newer than the rules known", r"^$"),
    (["size", "qwen3-30b-a3b", "--gpu", "H100:8", "--tp", "1", "--dp", "8", "--ep", "8"], 0,
     r"--data-parallel-size 8 --enable-expert-parallel", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--context", "4k", "--input", "4k", "--output", "1k"], 2, r"^$",
     r"do not fit a context"),
    (["size", "70b", "--gpu", "A100 80GB", "--weights", "q4_k_m", "--engine", "llama.cpp"], 0,
     r"(?s)^YES.*without -c it takes the model's", r"^$"),
    (["size", "qwen3-32b", "--gpu", "4090", "--engine", "llama.cpp", "--weights", "q6_k", "--offload", "cpu"],
     0, r"(?s)of 65 layers stay in host memory.*-ngl", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--engine", "llama.cpp", "-n", "300", "-c", "256"], 1,
     r"^NO  this build serves at most 256", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--engine", "ollama"], 0, r"(?s)weights q4_k_m \(assumed\)", r"^$"),
    (["size", "qwen3-8b", "--gpu", "4090", "--cuda-graphs", "off"], 0, r"--enforce-eager", r"^$"),
    (["size", "7b", "--gpu-memory", "8GiB"], 1, r"^NO  needs [^,]*, this card offers", r"^$"),
    (["size", "unknown.json", "--gpu", "4090"], 2, r"^$", r"nothing in it can be weighed"),
    (["size", "pipe", "--gpu", "4090"], 2, r"^$", r"neither a config.json"),
    (["size", "empty", "--gpu", "4090"], 2, r"^$", r"neither a config.json"),
    (["size", "claims.gguf", "--gpu", "4090"], 2, r"^$", r"claims .* tensors"),
    (["size", "deep.json", "--gpu", "4090"], 2, r"^$", r"nested deeper"),
    (["size", "layers.json", "--gpu", "4090"], 2, r"^$", r"num_hidden_layers is 1000000000"),
    (["gpus"], 0, r"4090", r"^$"),
    (["gpus", "RTX 4090"], 0, r"24564|24.0 GiB", r"^$"),
    (["gpus", "A100 80GB", "H100 SXM"], 0, r"H100", r"^$"),
    (["gpus", "RTX 5095"], 2, r"^$", r"did you mean"),
    (["gpus", "--claim", "4090 330 TFLOPS"], 0, r"(?s)FP16 accumulation.*FP8.*2:4 sparse", r"^$"),
    (["gpus", "--claim", "8卡A100 80G 独享 1248TFLOPS"], 0, r"8 cards, TF32", r"^$"),
    (["gpus", "--claim", "L40S NVLink"], 1, r"^NO .*no NVLink", r"^$"),
    (["gpus", "--claim", "L40S NVLink", "--fail-on", "never"], 0, r"^NO ", r"^$"),
    (["gpus", "--claim", "H100 1979 TFLOPS", "-q"], 0, r"^TIGHT [^\n]*\n$", r"^$"),
    (["gpus", "--claim", "8卡H100 80G 3.2T IB 1979TFLOPS"], 0, r"(?s)^TIGHT .*2:4 sparse: 1,979", r"^$"),
    (["gpus", "--claim", "A100 80G SXM NVLink 2039GB/s"], 0, r"^YES ", r"^$"),
    (["gpus", "--claim", "H800 NVLink 900GB/s"], 1, r"^NO  900GB/s: the link .* is cut to 400", r"^$"),
    (["gpus", "--claim", "T4 65 TFLOPS bf16"], 1, r"^NO  BF16: the Tesla T4 has no BF16", r"^$"),
    (["gpus", "--claim", "4090 9999 AI TOPS"], 1, r"^NO  9999 AI TOPS: above every rate", r"^$"),
    (["gpus", "--claim", "4090 660"], 2, r"(?s)^OPEN  not read: 660\n.*no unit", r"^$"),
    (["gpus", "--claim", "4090 24G 660"], 0, r"(?s)^TIGHT  not read: 660\n", r"^$"),
    (["gpus", "--claim", "4090 1/4卡"], 0, r"(?s)^TIGHT .*0\.25 of the GeForce RTX 4090", r"^$"),
    (["gpus", "--claim", "H100 80GB 335 GB/s"], 1, r"^NO  335 GB/s: the memory of the H100", r"^$"),
    (["gpus", "--claim", "4090 24GB Hopper 架构"], 1, r"^NO  Hopper: the architecture .* is Ada", r"^$"),
    (["gpus", "--claim", "A100 80GB PCIe SXM"], 0, r"(?s)^TIGHT .*which is it\?", r"^$"),
    (["gpus", "--claim", "H100 DP 34 TFLOPS"], 0, r"(?s)^TIGHT .*FP64 on the shader", r"^$"),
    (["gpus", "--claim", "4090 1.3P"], 0, r"(?s)^TIGHT .*1,321", r"^$"),
    (["gpus", "--claim", "RTX 4090 16384 CUDA cores"], 0, r"^YES ", r"^$"),
    (["gpus", "--claim", "A100 9.7 TFLOPS FP64"], 0, r"(?s)^TIGHT .*FP64 on the shader", r"^$"),
    (["gpus", "--claim", "DGX H100 32 PFLOPS"], 0, r"(?s)^TIGHT .*8 cards, FP8", r"^$"),
    (["gpus", "--claim", "A100 1g.5gb"], 0, r"(?s)^TIGHT .*MIG slice of the A100", r"^$"),
    (["gpus", "--claim", "3080 20G"], 0, r"(?s)^TIGHT .*rebuilt board", r"^$"),
    (["gpus", "--claim", "8xH100 640GB"], 0, r"(?s)^TIGHT .*8 x memory", r"^$"),
    (["gpus", "--claim", "4090 24G 内存120G"], 0, r"(?s)^YES .*not judged\n +内存120G", r"^$"),
    (["gpus", "--claim=-8 x H100"], 2, r"^$", r"(?s)count below zero.*character 1.*try "),
    (["gpus", "--claim", "H100 0 TFLOPS"], 2, r"^$", r"(?s)figure of zero.*character 6"),
    (["gpus", "--claim", "-"], 2, r"^$", r"the claim is empty"),
    (["gpus", "--claim", ""], 2, r"^$", r"claim"),
    (["gpus", "--claim", "nothing here"], 2, r"^$", r"names no card"),
    (["gpus", "4090", "--claim", "4090"], 2, r"^$", r"together"),
    (["offers", "--gpu", "4090", "--as-of", "2026-12-01"], 0, r"USD +1 x GeForce RTX 4090", r"^$"),
    (["offers", "--gpu", "4090", "--as-of", "2030-01-01"], 1, r"(?s)older than a year on 2030.*\d+ older", r"^$"),
    (["offers", "--gpu", "4090", "--as-of", "2030-01-01", "--fail-on", "never"], 0, r"no offer fits", r"^$"),
    (["offers", "--gpu", "4090", "--as-of", "2026-04-15"], 0, r"seen after the day of --as-of", r"^$"),
    (["offers", "--gpu", "H100", "--as-of", "2026-12-01"], 0, r"replaced by a newer price", r"^$"),
    (["offers", "--gpu", "H100", "--as-of", "2026-12-01", "--all"], 0, r"(?s) replaced\n.* history\n", r"^$"),
    (["offers", "--gpu", "p4d.24xlarge", "--as-of", "2026-12-01"], 0, r"(?s)8 x A100 SXM4 40GB.*USD", r"^$"),
    (["offers", "--gpu", "8x H100", "--as-of", "2026-12-01", "--all"], 0, r"USD +8 x H100", r"^$"),
    (["offers", "--gpu", "Ascend 910C"], 1, r"the list has no price of Ascend 910C", r"^$"),
    (["offers", "--gpu", "4090", "--currency", "CNY"], 2, r"^$", r"the list has USD"),
    (["offers", "--gpu", "4090", "--provider", "nobody"], 2, r"^$", r"no offer has provider 'nobody'"),
    (["offers", "--gpu", "Tesla P40", "--provider", "AWS"], 1, r"none of them of provider AWS", r"^$"),
    (["offers", "--gpu", "ecs.gn7i-c32g1.99999xlarge"], 2, r"^$", r"is no type of"),
    (["size", "7b", "--gpu", "ecs.gn7i-c32g1.99999xlarge"], 2, r"^$", r"is no type of"),
    (["size", "7b", "--gpu", "g5.3xlarge"], 2, r"^$", r"g5\.48xlarge"),
    (["size", "70b", "--gpu", "p4d.24xlarge:2"], 0, r"16", r"^$"),
    (["size", "70b", "--gpu", "H100 * 4"], 0, r"tensor-parallel-size 4", r"^$"),
    (["gpus", "p4d.24xlarge"], 0, r"(?s)8 x A100 SXM4 40GB.*sold as +40 GB", r"^$"),
    (["gpus", "MI250X"], 0, r"(?s)one card as 2.*63\.\d GiB", r"^$"),
    (["size", "70b", "--gpu", "MI250X:2"], None, r"(?s)as 2 devices.*MI250X:2", r"^$"),
    (["size", "70b", "--gpu", "A100x8"], 0, r"tensor-parallel-size 8", r"^$"),
    (["gpus", "MI300X8"], 2, r"^$", r"Instinct MI300X"),
    (["gpus", "7900XT"], 0, r"Radeon RX 7900 XT ", r"^$"),
    (["gpus", "8x H100"], 0, r"H100 SXM5 80GB", r"^$"),
    (["offers", "ecs.gn7i-c32g1.99999xlarge"], 2, r"^$", r"is no type of"),
    (["offers", "ecs.gn7i-c16g1.4xlarge"], 0, r"(?s)1 x A10.*inferred", r"^$"),
    (["offers", "--offers", "header.csv"], 2, r"^$", r"no offer below it"),
    (["offers", "--offers", "future.csv"], 2, r"^$", r"row 2, date"),
    (["offers", "--offers", "two.csv"], 0, r"(?s)CNY, per card.*1 x .*\n\nUSD, per card", r"^$"),
    (["offers", "--offers", "two.csv"], 0, r"2\.000 USD", r"^$"),
    (["offers", "--gpu", "4090", "--as-of", "2030-01-01", "--all"], 0, r"history", r"^$"),
    (["offers", "ecs.gn7i-c32g1.32xlarge"], 0, r"4 x A10, 24 GB each", r"^$"),
    (["offers", "--offers", "mine.csv"], 0, r"1\.980 CNY +8 x GeForce RTX 4090", r"^$"),
    (["offers", "--offers", "mine.toml"], 0, r"1\.980 CNY", r"^$"),
    (["offers", "--offers", "bad.csv"], 2, r"^$", r"row 1, price"),
    (["offers", "--offers", "empty"], 2, r"^$", r"\.csv nor in \.toml"),
    (["offers", "--offers", "absent.csv"], 2, r"^$", r"absent.csv"),
    (["offers", "--gpu", "RTX 9999"], 2, r"^$", r"did you mean"),
    (["size", "flux.1-dev"], 0, r"transformer +22\.2 GiB", r"^$"),
    (["size", "flux.1-dev", "--gpu", "4090"], 2, r"(?s)^OPEN  .*activations, which are not", r"^$"),
    (["size", "black-forest-labs/FLUX.1-dev", "--gpu", "T4"], 1, r"^NO  Tesla T4", r"^$"),
    (["size", "sdxl", "--engine", "vllm"], 2, r"^$", r"--engine does not apply"),
    (["models", "z-image"], 0, r"qwen_3_4b", r"^$"),
    (["offers", "no such thing"], 2, r"^$", r"no offer and no instance"),
    (["offers", "--as-of", "soon"], 2, r"^$", r"is not a day"),
    (["size", "70b", "--gpu", "p4d.24xlarge"], 0, r"A100 SXM4 40GB", r"^$"),
    (["models", "--gpu", "Tesla P40"], 0, r"run with llama.cpp", r"^$"),
    (["models"], 0, r"Qwen3-32B", r"^$"),
    (["models", "qwen3-32b"], 0, r"Qwen3-32B", r"^$"),
    (["models", "qwen3-32b", "-w", "awq"], 0, r"awq|AWQ", r"^$"),
    (["models", "--gpu", "RTX 4090", "-w", "fp8"], 0, "^(?!.* awq )[^\x00]*fp8", r"^$"),
    (["models", "--gpu", "RTX 4090", "-w", "q9_z"], 2, r"^$", r"q9_z"),
    (["completions", "bash"], 0, r"complete -F", r"^$"),
    (["completions", "tcsh"], 2, r"^$", r"bash, zsh or fish"),
    (["man"], 0, r"\.TH STEELYARD", r"^$"),
]

JSON_CASES = [
    (["size", "7b", "--mode", "full"], 0, "steelyard.size.1"),
    (["size", "qwen3-32b", "--gpu", "H100:8", "--mode", "lora", "--seq-len", "8k"], 0,
     "steelyard.size.1"),
    (["size", "qwen3-32b", "--gpu", "T4", "--mode", "full"], 1, "steelyard.size.1"),
    (["size", "qwen3-8b", "--gpu", "5090", "--against", LOGS + "/vllm-0.11.0.log"], 1, "steelyard.against.1"),
    (["size", "meta-llama/Meta-Llama-3-8B", "--against", LOGS + "/sglang.log"], 0, "steelyard.against.1"),
    (["size", "meta-llama/Meta-Llama-3.1-70B", "--against", LOGS + "/llama-2gpu-b6990.log"], 0,
     "steelyard.against.1"),
    (["size", "70b", "--gpu", "A100 80GB"], 1, "steelyard.size.1"),
    (["size", "qwen3-32b", "--gpu", "H100:2"], 0, "steelyard.size.1"),
    (["size", "qwen3-32b", "--weights", "q4_k_m", "--engine", "llama.cpp", "--gpu", "3090"], None,
     "steelyard.size.1"),
    (["size", "qwen3.5-9b", "--gpu", "4090"], None, "steelyard.size.1"),
    (["size", "27b", "--weights", "fp8"], 0, "steelyard.size.1"),
    (["size", "7b", "--gpu", "4090", "--gpu", "T4"], 0, "steelyard.size.1"),
    (["gpus"], 0, "steelyard.gpus.1"),
    (["gpus", "RTX 4090"], 0, "steelyard.gpus.1"),
    (["gpus", "--claim", "8卡A100 80G 1248TFLOPS NVLink 涡轮"], 0, "steelyard.gpus.1"),
    (["gpus", "--claim", "4090 5000 TFLOPS 80G NVLink"], 1, "steelyard.gpus.1"),
    (["gpus", "--claim", "H800 24G 2520MHz FP64 1 TFLOPS 1/4卡 770 内存1T"], 1, "steelyard.gpus.1"),
    (["gpus", "--claim", "4090 660"], 2, "steelyard.gpus.1"),
    (["gpus", "H800"], 0, "steelyard.gpus.1"),
    (["offers", "--gpu", "H100", "--all"], 0, "steelyard.offers.1"),
    (["offers", "p4d.24xlarge"], 0, "steelyard.offers.1"),
    (["offers", "--gpu", "Ascend 910C"], 1, "steelyard.offers.1"),
    (["offers", "ecs.gn7i-c16g1.4xlarge"], 0, "steelyard.offers.1"),
    (["size", "hunyuanvideo"], 0, "steelyard.pipeline.1"),
    (["size", "wan2.2", "--gpu", "4090", "--gpu", "H100"], 2, "steelyard.pipeline.1"),
    (["models"], 0, "steelyard.models.1"),
    (["models", "qwen3-32b"], 0, "steelyard.models.1"),
]


def bad_files(folder):
    """Inputs that people and damage produce; named in CASES."""
    def write(name, content):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    write("empty", b"")
    write("unknown.json", b'{"model_type": "weird_new", "foo": 1}')
    write("claims.gguf", b"GGUF\x03\0\0\0" + b"\xff" * 7 + b"\x7f" + b"\xff" * 7 + b"\x7f")
    write("deep.json", b"[" * 200000)
    write("zero.gguf", b"GGUF\0\0\0\0" + b"\0" * 16)
    usual = (b'"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,'
             b'"intermediate_size": 128, "vocab_size": 100}')
    write("config.json", b'{"model_type": "llama",' + usual)
    write("odd.json", b'{"model_type": "weird\\u001b[2J", "architectures": ["A\\u0007\\u009b"],' + usual)
    write("lines.json", b'{"model_type": "llama\\nNO  fake", "architectures": ["A\\n\\u001b[32mYES"],' + usual)
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "tools", "make_headers"), "gguf",
                    os.path.join(folder, "a$(touch PW).gguf"), "2", "256", "4", "2", "512", "1024", "16"],
                   check=True)
    os.symlink("loop.json", os.path.join(folder, "loop.json"))
    os.symlink("gone/nothing.json", os.path.join(folder, "nowhere.json"))
    write("layers.json", b'{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,'
          b'"vocab_size": 256, "intermediate_size": 128, "num_hidden_layers": 1000000000}')
    for name in ("mine.csv", "mine.toml"):
        with open(os.path.join(ROOT, "data", "offers", name.replace("mine", "template")), "rb") as file:
            write(name, file.read())
    write("bad.csv", b"provider,card,tier,price,currency,date\nA,T4,spot,free,USD,2026-11-30\n")
    head = b"provider,card,tier,price,currency,date\n"
    write("header.csv", head)
    write("future.csv", head + b"A,T4,spot,1,USD,2026-11-30\nA,T4,spot,1,USD,2099-11-30\n")
    write("two.csv", head + b"A,T4,spot,2,USD,2026-11-30\nA,T4,spot,1.5,CNY,2026-11-30\n"
          b"A,T4,spot,1,USD,2026-10-30\n")
    os.mkfifo(os.path.join(folder, "pipe"))
    return sorted(os.listdir(folder))


def table():
    with tempfile.TemporaryDirectory() as folder:
        before = bad_files(folder)
        for words, code, out, err in CASES:
            done = run(words, folder)
            name = " ".join(words) or "(nothing)"
            got_out, got_err = done.stdout.decode(), done.stderr.decode()
            detail = f"  exit {done.returncode}\n  out: {got_out[:600]}\n  err: {got_err[:600]}"
            check(name + ": exit code", code is None or done.returncode == code, detail)
            check(name + ": answer", re.search(out, got_out), detail)
            check(name + ": complaint", re.search(err, got_err), detail)
        check("a refused command leaves no file", sorted(os.listdir(folder)) == before,
              str(os.listdir(folder)))


def documents():
    for words, code, name in JSON_CASES:
        done = run(words + ["--json"])
        label = " ".join(words) + " --json"
        check(label + ": exit code", code is None or done.returncode == code, done.stderr.decode())
        try:
            document = json.loads(done.stdout)
            jsonschema.validate(document, schema(name))
            check(label, True)
            nulls_have_reasons(label, document)
        except (ValueError, jsonschema.ValidationError) as error:
            check(label + ": document", False, str(error)[:1500])


def nulls_have_reasons(label, node, path=""):
    if isinstance(node, dict):
        for key, value in node.items():
            if value is None:
                check(f"{label}: {path}{key} is null with its reason", f"{key}_reason" in node)
            nulls_have_reasons(label, value, f"{path}{key}.")
    elif isinstance(node, list):
        for item in node:
            nulls_have_reasons(label, item, path)


# Every option of `size` that asks for something, with a value that is no engine's default.
OPTIONS = [
    ["--dtype", "fp32"], ["--kv", "fp8"], ["--kv", "q8_0"], ["--context", "2048"],
    ["--ctx-size", "6144"], ["--concurrency", "3"], ["--input", "700", "--output", "300"],
    ["--input", "700"], ["--output", "300"], ["--memory-utilization", "0.7"],
    ["--max-batched-tokens", "1024"], ["--max-num-seqs", "5"], ["--ubatch", "256"],
    ["--cuda-graphs", "off"], ["--flash-attention", "off"], ["--gpu-layers", "7"],
    ["--offload", "cpu"], ["--offload", "nvme"], ["--images", "2"], ["--images", "2@640x480"],
    ["--adapters", "3"], ["--rank", "32"], ["--draft", "qwen3-0.6b"], ["--mtp", "2"],
    ["--tp", "2"], ["--pp", "2"], ["--dp", "2"], ["--ep", "2"], ["--cp", "2"], ["--dcp", "2"],
    ["--tp", "2", "--ep", "2"], ["--dp", "2", "--ep", "2"], ["--tp", "2", "--attention-dp", "2"],
    ["--tp", "2", "--dcp", "2"], ["--nodes", "2"], ["--interconnect", "100"],
    ["--gpu-bandwidth", "900"], ["--gpu-bf16", "300"], ["--memory-in-use", "3GiB"],
    ["--weights", "fp8"], ["--weights", "q5_k_m"],
]
ENGINES = ["vllm", "sglang", "tensorrt-llm", "llama.cpp", "ollama", "transformers"]


def options_matter():
    """An option changes the sum or the launch line, or a warning names it, or it is refused."""
    for model in ("qwen3-8b", "qwen3-30b-a3b"):
        for engine in ENGINES:
            base = ["size", model, "--gpu", "H200", "--engine", engine, "--json"]
            plain = json.loads(run(base).stdout)
            for words in OPTIONS:
                done = run(base + words)
                name = f"{model} on {engine}: {' '.join(words)}"
                check(name + ": answered or refused", done.returncode in (0, 1, 2), done.stderr.decode())
                if done.returncode == 2:
                    check(name + ": says why", b"--" in done.stderr, done.stderr.decode())
                    continue
                other = json.loads(done.stdout)
                same = all(plain.get(key) == other.get(key)
                           for key in ("memory", "capacity", "launch", "buffers"))
                said = any(words[0] in text for text in other.get("warnings", []))
                check(name + ": changes something or is said to change nothing", not same or said,
                      str(other.get("warnings")) + other["launch"])


def terminal():
    words = ["size", "7b", "--gpu", "H200"]
    plain = run(words).stdout.decode()
    check("a pipe gets no colour", "\033[" not in plain, plain)
    for env, coloured in [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                          ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                          ({"TERM": "xterm", "NO_COLOR": ""}, True)]:
        seen = on_terminal(words, env)
        check(f"terminal {env}", ("\033[" in seen) == coloured, seen)
        stripped = re.sub(r"\033\[[0-9;]*m", "", seen).replace("\r\n", "\n")
        check(f"terminal {env}: same words as through a pipe", stripped == plain, stripped)
    for line in run(["help", "size"]).stdout.decode().split("\n"):
        check("help fits 80 columns", len(line) <= 80, line)
    check("overview under 25 lines", run([]).stdout.decode().count("\n") < 25)


def on_terminal(words, env):
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(PROGRAM, [PROGRAM] + words, {"PATH": "/usr/bin:/bin", **env})
    data = b""
    while True:
        try:
            chunk = os.read(fd, 65536)
        except OSError:
            break
        if not chunk:
            break
        data += chunk
    os.waitpid(pid, 0)
    os.close(fd)
    return data.decode()


def files():
    with tempfile.TemporaryDirectory() as folder:
        done = run(["size", "7b", "--gpu", "H200", "-o", "a.json", "-o", "a.csv", "-o", "a.md"], folder)
        check("-o three files", done.returncode == 0, done.stderr.decode())
        document = json.load(open(os.path.join(folder, "a.json")))
        rows = open(os.path.join(folder, "a.csv")).read().strip().split("\n")
        total = document["memory"][0]["total_bytes"]
        check("CSV and JSON agree", any(f",total,{total}," in row for row in rows), "\n".join(rows))
        check("Markdown has a table", "| --- |" in open(os.path.join(folder, "a.md")).read())
        check("nothing else is left", sorted(os.listdir(folder)) == ["a.csv", "a.json", "a.md"],
              str(os.listdir(folder)))
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = run(["size", "7b", "--gpu", "H200"], stdout=full)
        check("a full disk is said", done.returncode == 2 and b"could not be written" in done.stderr,
              done.stderr.decode())
        done = run(["size", "7b", "--gpu", "H200", "-o", "/dev/full"])
        check("-o /dev/full names no format", done.returncode == 2)


def self_test():
    """The checks themselves must be able to fail."""
    try:
        jsonschema.validate({"schema": "steelyard.size/1"}, schema("steelyard.size.1"))
        check("the schema refuses an empty document", False)
    except jsonschema.ValidationError:
        check("the schema refuses an empty document", True)


for part in (table, documents, options_matter, terminal, files, self_test):
    part()
print(f"{count - len(failures)} passed, {len(failures)} failed")
sys.exit(1 if failures or count < 100 else 0)
