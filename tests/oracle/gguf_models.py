"""Sparse GGUF files of real shapes: metadata and tensor table as converters write them, then a hole.

Heads, widths, experts and vocabulary are the published ones; only the number of layers is cut, since
no buffer but the cache and the states grows with it.
"""
import os
import struct

F32, F16, Q4_K, Q6_K = (0, 1, 4), (1, 1, 2), (12, 256, 144), (14, 256, 210)
CODES = {"u32": (4, "<I"), "f32": (6, "<f"), "bool": (7, "<?")}
LISTS = {"strs": (8, None), "i32s": (5, "i"), "u32s": (4, "I"), "f32s": (6, "f"), "bools": (7, "?")}


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pair(key, kind, value):
    if kind == "str":
        return text(key) + struct.pack("<I", 8) + text(value)
    if kind in CODES:
        code, form = CODES[kind]
        return text(key) + struct.pack("<I", code) + struct.pack(form, value)
    code, form = LISTS[kind]
    body = b"".join(map(text, value)) if form is None else struct.pack("<%d%s" % (len(value), form), *value)
    return text(key) + struct.pack("<IIQ", 9, code, len(value)) + body


class Model:
    """One file: metadata under the architecture's own prefix, tensors in the order of the file."""

    def __init__(self, architecture, vocab, matrices=F16):
        self.architecture, self.vocab, self.matrices = architecture, vocab, matrices
        self.pairs, self.table = [], []

    def meta(self, **values):
        for name, value in values.items():
            kind = ("bool" if isinstance(value, bool) else "u32" if isinstance(value, int) else
                    "f32" if isinstance(value, float) else "bools" if isinstance(value[0], bool) else "u32s")
            self.pairs.append((self.architecture + "." + name.replace("__", "."), kind, value))

    def add(self, name, *shape):
        """GGUF order: the width first. Vectors and small tables stay in 32 bit."""
        blocks = self.matrices if shape[0] % self.matrices[1] == 0 else F16
        small = len(shape) == 1 or name.endswith(("ffn_gate_inp.weight", ".bias", "ssm_a", "ssm_d",
                                                  "ssm_norm.weight", "ssm_conv1d.weight"))
        self.table.append((name, shape, F32 if small else blocks))

    def block(self, layer, **tensors):
        for name, shape in tensors.items():
            stem = name.replace("__", ".")
            ending = "" if stem in ("ssm_a", "ssm_d") or stem.endswith((".bias", ".weight")) else ".weight"
            self.add("blk.%d.%s%s" % (layer, stem, ending), *shape)

    def ends(self, hidden, tied=False):
        self.add("token_embd.weight", hidden, self.vocab)
        self.add("output_norm.weight", hidden)
        if not tied:
            self.add("output.weight", hidden, self.vocab)

    def write(self, path):
        pieces = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % i for i in range(256)]
        pieces = (pieces + ["\u2581t%d" % i for i in range(self.vocab)])[:self.vocab]
        kinds = [2, 3, 3] + [6] * 256 + [1] * self.vocab
        pairs = [("general.architecture", "str", self.architecture),
                 ("general.name", "str", "made for a test"), ("general.file_type", "u32", 1)] + self.pairs + [
                 ("tokenizer.ggml.model", "str", "llama"), ("tokenizer.ggml.tokens", "strs", pieces),
                 ("tokenizer.ggml.scores", "f32s", [-float(i) for i in range(self.vocab)]),
                 ("tokenizer.ggml.token_type", "i32s", kinds[:self.vocab]),
                 ("tokenizer.ggml.bos_token_id", "u32", 1), ("tokenizer.ggml.eos_token_id", "u32", 2)]
        offset, infos = 0, []
        for name, shape, (number, block, size) in self.table:
            infos.append(text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, number, offset))
            count = 1
            for extent in shape:
                count *= extent
            offset += (count // block * size + 31) // 32 * 32
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.table), len(pairs))
        head += b"".join(pair(*p) for p in pairs) + b"".join(infos)
        with open(path, "wb") as file:
            file.write(head)
            file.truncate((len(head) + 31) // 32 * 32 + offset)


def decoder(architecture, layers, hidden, heads, kv_heads, head, ff, vocab, context, matrices=F16, tied=False,
            **more):
    m = Model(architecture, vocab, matrices)
    m.meta(block_count=layers, context_length=context, embedding_length=hidden, feed_forward_length=ff,
           attention__head_count=heads, attention__head_count_kv=kv_heads, attention__key_length=head,
           attention__value_length=head, rope__dimension_count=head,
           attention__layer_norm_rms_epsilon=1e-6, rope__freq_base=1e6, **more)
    m.ends(hidden, tied)
    return m


def attention(m, i, hidden, heads, kv_heads, head, **more):
    m.block(i, attn_norm=(hidden,), attn_q=(hidden, heads * head), attn_k=(hidden, kv_heads * head),
            attn_v=(hidden, kv_heads * head), attn_output=(heads * head, hidden), **more)


def gated(m, i, hidden, ff):
    m.block(i, ffn_norm=(hidden,), ffn_gate=(hidden, ff), ffn_up=(hidden, ff), ffn_down=(ff, hidden))


def experts(m, i, hidden, count, inner):
    m.block(i, ffn_gate_inp=(hidden, count), ffn_gate_exps=(hidden, inner, count),
            ffn_up_exps=(hidden, inner, count), ffn_down_exps=(inner, hidden, count))


def llama(vocab=128256, layers=4):
    m = decoder("llama", layers, 4096, 32, 8, 128, 14336, vocab, 131072, matrices=Q4_K)
    for i in range(layers):
        attention(m, i, 4096, 32, 8, 128)
        gated(m, i, 4096, 14336)
    return m


def qwen2(vocab=152064, layers=4):
    m = decoder("qwen2", layers, 3584, 28, 4, 128, 18944, vocab, 131072)
    for i in range(layers):
        attention(m, i, 3584, 28, 4, 128, attn_q__bias=(3584,), attn_k__bias=(512,), attn_v__bias=(512,))
        gated(m, i, 3584, 18944)
    return m


def qwen3(vocab=151936, layers=4):
    m = decoder("qwen3", layers, 4096, 32, 8, 128, 12288, vocab, 131072)
    for i in range(layers):
        attention(m, i, 4096, 32, 8, 128, attn_q_norm=(128,), attn_k_norm=(128,))
        gated(m, i, 4096, 12288)
    return m


def qwen3moe(vocab=151936, layers=4):
    m = decoder("qwen3moe", layers, 2048, 32, 4, 128, 6144, vocab, 131072, expert_count=128,
                expert_used_count=8, expert_feed_forward_length=768)
    for i in range(layers):
        attention(m, i, 2048, 32, 4, 128, attn_q_norm=(128,), attn_k_norm=(128,), ffn_norm=(2048,))
        experts(m, i, 2048, 128, 768)
    return m


def gemma3(vocab=262144, layers=8):
    m = decoder("gemma3", layers, 3840, 16, 8, 256, 15360, vocab, 131072, tied=True,
                attention__sliding_window=1024)
    for i in range(layers):
        attention(m, i, 3840, 16, 8, 256, attn_q_norm=(256,), attn_k_norm=(256,),
                  post_attention_norm=(3840,), post_ffw_norm=(3840,))
        gated(m, i, 3840, 15360)
    return m


def phi3(vocab=32064, layers=4):
    m = decoder("phi3", layers, 3072, 32, 32, 96, 8192, vocab, 131072, attention__sliding_window=262144)
    for i in range(layers):
        m.block(i, attn_norm=(3072,), attn_qkv=(3072, 9216), attn_output=(3072, 3072), ffn_norm=(3072,),
                ffn_up=(3072, 16384), ffn_down=(8192, 3072))
    return m


def gpt_oss(vocab=201088, layers=4):
    m = decoder("gpt-oss", layers, 2880, 64, 8, 64, 2880, vocab, 131072, expert_count=32,
                expert_used_count=4, expert_feed_forward_length=2880, attention__sliding_window=128)
    for i in range(layers):
        attention(m, i, 2880, 64, 8, 64, attn_q__bias=(4096,), attn_k__bias=(512,), attn_v__bias=(512,),
                  attn_output__bias=(2880,), attn_sinks=(64,), post_attention_norm=(2880,))
        experts(m, i, 2880, 32, 2880)
        m.block(i, ffn_gate_inp__bias=(32,), ffn_gate_exps__bias=(2880, 32), ffn_up_exps__bias=(2880, 32),
                ffn_down_exps__bias=(2880, 32))
    return m


def deepseek(vocab, layers, hidden, heads, q_rank, ff, count, used, inner, shared, **more):
    m = Model("deepseek2", vocab)
    m.meta(block_count=layers, context_length=163840, embedding_length=hidden, feed_forward_length=ff,
           attention__head_count=heads, attention__head_count_kv=1, attention__key_length=576,
           attention__value_length=512, attention__key_length_mla=192, attention__value_length_mla=128,
           attention__kv_lora_rank=512, rope__dimension_count=64, attention__layer_norm_rms_epsilon=1e-6,
           leading_dense_block_count=1, expert_count=count, expert_used_count=used,
           expert_feed_forward_length=inner, expert_shared_count=shared, expert_weights_scale=2.5,
           rope__freq_base=1e4, **more)
    if q_rank > 0:
        m.meta(attention__q_lora_rank=q_rank)
    m.ends(hidden)
    for i in range(layers):
        m.block(i, attn_norm=(hidden,), attn_kv_a_norm=(512,), attn_kv_a_mqa=(hidden, 576),
                attn_k_b=(128, 512, heads), attn_v_b=(512, 128, heads), attn_output=(heads * 128, hidden))
        if q_rank > 0:
            m.block(i, attn_q_a=(hidden, q_rank), attn_q_a_norm=(q_rank,), attn_q_b=(q_rank, heads * 192))
        else:
            m.block(i, attn_q=(hidden, heads * 192))
        if i == 0:
            gated(m, i, hidden, ff)
            continue
        m.block(i, ffn_norm=(hidden,))
        experts(m, i, hidden, count, inner)
        m.block(i, ffn_gate_shexp=(hidden, inner * shared), ffn_up_shexp=(hidden, inner * shared),
                ffn_down_shexp=(inner * shared, hidden))
        if q_rank > 0:
            m.block(i, exp_probs_b__bias=(count,))
    return m


def deepseek_v3(vocab=129280, layers=4):
    return deepseek(vocab, layers, 7168, 128, 1536, 18432, 256, 8, 2048, 1, expert_gating_func=2,
                    expert_weights_norm=True, expert_group_count=8, expert_group_used_count=4)


def deepseek_v2_lite(vocab=102400, layers=27):  # llama.cpp tells this kind by its 27 layers
    return deepseek(vocab, layers, 2048, 16, 0, 10944, 64, 6, 1408, 2)


def mamba2_layer(m, i, hidden, inner, state, heads, groups):
    conv = inner + 2 * groups * state
    m.block(i, attn_norm=(hidden,), ssm_in=(hidden, inner + conv + heads), ssm_conv1d=(4, conv),
            ssm_conv1d__bias=(conv,), ssm_dt__bias=(heads,), ssm_a=(1, heads), ssm_d=(1, heads),
            ssm_norm=(inner // groups, groups), ssm_out=(inner, hidden))


def mamba2(vocab=50288, layers=4):
    m = Model("mamba2", vocab)
    m.meta(block_count=layers, context_length=1048576, embedding_length=2560, feed_forward_length=0,
           attention__head_count=0, attention__layer_norm_rms_epsilon=1e-5, ssm__conv_kernel=4,
           ssm__inner_size=5120, ssm__state_size=128, ssm__time_step_rank=80, ssm__group_count=1)
    m.ends(2560)
    for i in range(layers):
        mamba2_layer(m, i, 2560, 5120, 128, 80, 1)
    return m


def granite_hybrid(vocab=100352, layers=8):
    m = Model("granitehybrid", vocab)
    attends = [i == 5 for i in range(layers)]
    m.meta(block_count=layers, context_length=131072, embedding_length=1536, feed_forward_length=512,
           attention__head_count=12, attention__head_count_kv=[4 if a else 0 for a in attends],
           attention__layer_norm_rms_epsilon=1e-5, rope__dimension_count=128, rope__freq_base=1e4,
           rope__scaling__finetuned=False, ssm__conv_kernel=4, ssm__inner_size=3072, ssm__state_size=128,
           ssm__time_step_rank=48, ssm__group_count=1, expert_count=64, expert_used_count=6,
           expert_shared_feed_forward_length=1024, logit_scale=6.0, residual_scale=0.22,
           embedding_scale=12.0, attention__scale=0.0078125)
    m.ends(1536, tied=True)
    for i in range(layers):
        if attends[i]:
            attention(m, i, 1536, 12, 4, 128)
        else:
            mamba2_layer(m, i, 1536, 3072, 128, 48, 1)
        m.block(i, ffn_norm=(1536,))
        experts(m, i, 1536, 64, 512)
        m.block(i, ffn_gate_shexp=(1536, 1024), ffn_up_shexp=(1536, 1024), ffn_down_shexp=(1024, 1536))
    return m


MODELS = {"Llama 3.1 8B": llama, "Qwen2.5 7B": qwen2, "Qwen3 8B": qwen3, "Qwen3 30B-A3B": qwen3moe,
          "Gemma 3 12B": gemma3, "Phi-3 mini": phi3, "gpt-oss 20B": gpt_oss, "DeepSeek V3": deepseek_v3,
          "DeepSeek V2 Lite": deepseek_v2_lite, "Granite 4.0 H Tiny": granite_hybrid, "Mamba-2 2.7B": mamba2}
# A small vocabulary lets the layers, not the logits, set the size of the compute buffer.
SMALL_VOCABULARY = 2048


def write_all(folder):
    """{(name, whole vocabulary?): path}."""
    os.makedirs(folder, exist_ok=True)
    out = {}
    for name, build in MODELS.items():
        for whole in (True, False):
            model = build() if whole else build(vocab=SMALL_VOCABULARY)
            stem = "%s-%s.gguf" % (name.lower().replace(" ", "-"), "whole" if whole else "small")
            out[name, whole] = os.path.join(folder, stem)
            model.write(out[name, whole])
    return out
