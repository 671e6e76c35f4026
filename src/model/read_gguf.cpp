// GGUF files -> Model: all parts of a split model, layers from the metadata, tensors from the
// table.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/gguf_file_type.h"
#include "model/gguf_header.h"
#include "model/gguf_layers.h"
#include "model/model.h"
#include "model/refine.h"
#include "model/tensor_names.h"

namespace steelyard::model {
namespace {

constexpr std::size_t kPartLimit = 9999;

// "NAME-00002-of-00003.gguf": the part's number, how many there are, and NAME.
struct Part {
  std::string stem;
  std::size_t number = 0, count = 0;
};

std::optional<Part> part_of(const std::string& path) {
  constexpr std::string_view of = "-of-", end = ".gguf";
  constexpr std::size_t digits = 5, tail = 1 + digits + of.size() + digits + end.size();
  if (path.size() < tail || !path.ends_with(end)) return std::nullopt;
  const std::size_t at = path.size() - tail;
  if (path[at] != '-' || path.substr(at + 1 + digits, of.size()) != of) return std::nullopt;
  std::size_t seen = 0;
  const std::int32_t number = number_in_name(path, at + 1, seen);
  if (number < 1 || seen != digits) return std::nullopt;
  const std::int32_t count = number_in_name(path, at + 1 + digits + of.size(), seen);
  if (count < number || seen != digits) return std::nullopt;
  return Part{path.substr(0, at), static_cast<std::size_t>(number),
              static_cast<std::size_t>(count)};
}

std::string part_path(const Part& part, std::size_t number) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", part.stem, number, part.count);
}

// The file that was named, or all parts of the split model it belongs to, the first one first.
Result<std::vector<GgufHeader>> read_parts(os::Files& files, const std::string& path) {
  std::vector<GgufHeader> headers;
  const auto part = part_of(path);
  if (!part || part->count == 1) {
    auto header = read_gguf_header(files, path);
    if (!header) return fail(std::move(header.error()));
    const std::uint64_t split = header->metadata.number("split.count").value_or(1);
    if (split > 1) {
      return fail({.kind = ErrorKind::not_found,
                   .what = fmt::format("one of {} parts; the others are found by name only", split),
                   .file = path,
                   .field = "split.count",
                   .try_this = "keep the names NAME-00001-of-0000N.gguf"});
    }
    headers.push_back(std::move(*header));
    return headers;
  }
  for (std::size_t i = 1; i <= std::min(part->count, kPartLimit); ++i) {
    auto header = read_gguf_header(files, part_path(*part, i));
    if (!header) {
      Error error = std::move(header.error());
      if (error.kind == ErrorKind::not_found) {
        error.what = fmt::format("part {} of {} is missing", i, part->count);
        error.try_this = "put all parts of the model into one folder";
      }
      return fail(std::move(error));
    }
    headers.push_back(std::move(*header));
  }
  return headers;
}

Tensor described(const GgufTensor& stored, const NameMeaning& meaning) {
  Tensor tensor{.role = meaning.role, .layer = meaning.layer};
  const auto& e = stored.extent;
  const bool matrix = stored.dimensions > 1;
  tensor.rows = matrix ? e[1] : e[0];
  tensor.cols = matrix ? e[0] : 1;
  const std::uint64_t deep = saturating_mul(e[2], e[3]);
  const bool experts = meaning.role == Role::expert_gate || meaning.role == Role::expert_up ||
                       meaning.role == Role::expert_down;
  (experts ? tensor.count : tensor.rows) = experts ? deep : saturating_mul(tensor.rows, deep);
  tensor.format = stored.format;
  tensor.bytes = stored.bytes;
  tensor.split = matrix ? split_of(meaning.role) : vector_split(meaning.role);
  tensor.quantisable = matrix && is_quantisable(meaning.role);
  return tensor;
}

// Adds a file's tensors; experts stored one by one become one group per layer and matrix.
class Collector {
 public:
  explicit Collector(Model& model) : model_(model) {}

  Status add(const GgufTensor& stored) {
    const NameMeaning meaning = gguf_name(stored.name);
    Tensor tensor = described(stored, meaning);
    std::string name = stored.name;
    if (meaning.expert >= 0) {
      name.replace(meaning.expert_at, meaning.expert_digits, "*");
      // Experts of one layer may be stored in different types: then each type is a group.
      const auto key = fmt::format("{} {}", name, tensor.format.name);
      const auto [found, fresh] = groups_.emplace(key, model_.tensors.size());
      if (!fresh) {
        Tensor& group = model_.tensors[found->second];
        if (group.rows == tensor.rows && group.cols == tensor.cols) {
          group.count += 1;
          group.bytes += tensor.bytes;
          return {};
        }
      }
    }
    return add_tensor(model_, {.text = std::move(name)}, tensor);
  }

 private:
  Model& model_;
  std::map<std::string, std::size_t> groups_;
};

void describe_file(const GgufHeader& first, Model& model) {
  if (const auto type = first.metadata.number("general.file_type")) {
    model.quantisation.description = gguf_file_type_name(*type);
  }
}

}  // namespace

Result<Model> read_gguf(os::Files& files, const std::string& path) {
  auto headers = read_parts(files, path);
  if (!headers) return fail(std::move(headers.error()));
  auto model = layers_from_gguf_metadata(headers->front().metadata);
  if (!model) return fail(std::move(model.error()).in_file(path));
  model->source = path;
  Collector collector(*model);
  bool whole = true;
  for (const GgufHeader& header : *headers) {
    whole = whole && header.data_is_whole;
    for (const GgufTensor& tensor : header.tensors) {
      if (Status added = collector.add(tensor); !added) {
        return fail(std::move(added.error()).in_file(path));
      }
    }
  }
  if (model->tensors.empty()) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "the file lists no tensors: a vocabulary without a model",
                 .file = path,
                 .field = "tensor_count",
                 .byte = 8,
                 .try_this = "give the model's own .gguf file"});
  }
  if (!whole) {
    model->notes.push_back("the file ends before its last tensor: sizes come from its header");
  }
  if (const std::size_t seen = layers_seen(*model); 2 * seen < model->layers.size()) {
    model->not_established =
        fmt::format("the file lists tensors of {} of its {} layers", seen, model->layers.size());
  }
  describe_file(headers->front(), *model);
  refine_by_tensors(*model);
  return model;
}

}  // namespace steelyard::model
