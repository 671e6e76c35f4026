#include "model/gguf_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "model/piece_reader.h"

namespace steelyard::model {
namespace {

// Numbers of GGUF's value types.
enum Type : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

constexpr std::uint64_t kNameBytes = 64 * 1024;     // GGUF's own limit for keys
constexpr std::uint64_t kKeptTextBytes = 4 * 1024;  // longer texts (chat templates) are skipped
constexpr std::uint64_t kKeptNumbers = 4096;        // longer arrays belong to the tokenizer
constexpr std::uint64_t kTensorLimit = 1u << 20;    // the largest seen file has some 2,000
constexpr std::uint64_t kPairBytes = 8 + 4 + 1;     // shortest key and value: an empty key, a bool
constexpr std::uint64_t kTensorBytes = 8 + 4 + 4 + 8;

constexpr std::uint64_t width_of(std::uint32_t type) {
  switch (type) {
    case kU8:
    case kI8:
    case kBool:
      return 1;
    case kU16:
    case kI16:
      return 2;
    case kU32:
    case kI32:
    case kF32:
      return 4;
    case kU64:
    case kI64:
    case kF64:
      return 8;
    default:
      return 0;
  }
}

class GgufParser {
 public:
  GgufParser(os::Files& files, const std::string& path, std::uint64_t size)
      : in_(files, path, size), path_(path) {}

  Result<GgufHeader> parse() {
    header_.file_size = in_.size();
    if (!magic() || !counts() || !pairs() || !table() || !place_data()) return fail(error());
    return std::move(header_);
  }

 private:
  // Records the first error; always false, for `return wrong(...)`.
  bool wrong(ErrorKind kind, std::string what, std::string field, std::uint64_t byte,
             std::string try_this) {
    if (!error_) {
      error_ = Error{.kind = kind,
                     .what = std::move(what),
                     .file = path_,
                     .field = std::move(field),
                     .byte = byte,
                     .try_this = std::move(try_this)};
    }
    return false;
  }
  bool ended(std::string_view field) {
    return wrong(ErrorKind::bad_input, "the file ends inside its header", std::string(field),
                 in_.position(), "the download is not complete: fetch the file again");
  }
  Error error() { return in_.io_error() ? *in_.io_error() : *error_; }

  bool magic() {
    const std::string_view word = in_.bytes(4);
    if (word == "GGUF") return version();
    if (word == "FUGG" || word == "lmgg" || word == "tjgg" || word == "algg") {
      return wrong(ErrorKind::unsupported, "a file in GGML's formats from before GGUF", "magic", 0,
                   "convert the model to GGUF again");
    }
    return wrong(ErrorKind::bad_input, "not a GGUF file: it does not start with \"GGUF\"", "magic",
                 0, "check that the download is the .gguf file itself");
  }

  bool version() {
    header_.version = in_.value<std::uint32_t>();
    if (!in_.ok()) return ended("version");
    if (header_.version == 2 || header_.version == 3) return true;
    if (header_.version != 0 && (header_.version & 0xFFFF) == 0) {
      return wrong(ErrorKind::unsupported, "a big-endian GGUF file", "version", 4,
                   "take the little-endian file of this model");
    }
    return wrong(ErrorKind::unsupported,
                 fmt::format("GGUF version {}; versions 2 and 3 are read", header_.version),
                 "version", 4, "convert the model again with a current llama.cpp");
  }

  bool counts() {
    tensor_count_ = in_.value<std::uint64_t>();
    pair_count_ = in_.value<std::uint64_t>();
    if (!in_.ok()) return ended("tensor_count");
    if (tensor_count_ > kTensorLimit || tensor_count_ > in_.remaining() / kTensorBytes) {
      return wrong(ErrorKind::too_large,
                   fmt::format("claims {} tensors in a file of {} bytes",
                               with_commas(tensor_count_), with_commas(in_.size())),
                   "tensor_count", 8, "the file is damaged: fetch it again");
    }
    if (pair_count_ > in_.remaining() / kPairBytes) {
      return wrong(ErrorKind::too_large,
                   fmt::format("claims {} metadata pairs in a file of {} bytes",
                               with_commas(pair_count_), with_commas(in_.size())),
                   "metadata_kv_count", 16, "the file is damaged: fetch it again");
    }
    return true;
  }

  // A length-prefixed text of at most `limit` bytes; the view lives until the next read.
  bool text(std::string_view& out, std::uint64_t limit, std::string_view field) {
    const std::uint64_t start = in_.position();
    const auto length = in_.value<std::uint64_t>();
    if (!in_.ok()) return ended(field);
    if (length > limit) {
      return wrong(ErrorKind::too_large,
                   fmt::format("a name of {} bytes; at most {} are allowed", with_commas(length),
                               with_commas(limit)),
                   std::string(field), start, "the file is damaged: fetch it again");
    }
    out = in_.bytes(static_cast<std::size_t>(length));
    return in_.ok() || ended(field);
  }

  bool pairs() {
    for (std::uint64_t i = 0; i < pair_count_; ++i) {
      std::string_view view;
      const std::uint64_t start = in_.position();
      if (!text(view, kNameBytes, fmt::format("metadata key {}", i))) return false;
      std::string key(view);
      const auto type = in_.value<std::uint32_t>();
      if (!in_.ok()) return ended(key);
      GgufValue value;
      if (!(type == kArray ? array(value, key) : scalar(value, type, key))) return false;
      if (!header_.metadata.add(key, std::move(value))) {
        return wrong(ErrorKind::bad_input, "the key is there twice", key, start,
                     "the file is damaged: convert the model again");
      }
    }
    return true;
  }

  bool scalar(GgufValue& out, std::uint32_t type, const std::string& key) {
    const std::uint64_t start = in_.position();
    if (type == kString) return kept_text(out, key);
    if (width_of(type) == 0) {
      return wrong(ErrorKind::bad_input, fmt::format("unknown value type {}", type), key, start,
                   "the file is damaged, or newer than this program");
    }
    out = number(type);
    return in_.ok() || ended(key);
  }

  GgufValue number(std::uint32_t type) {
    switch (type) {
      case kU8:
      case kBool:
        return std::uint64_t{in_.value<std::uint8_t>()};
      case kI8:
        return std::int64_t{in_.value<std::int8_t>()};
      case kU16:
        return std::uint64_t{in_.value<std::uint16_t>()};
      case kI16:
        return std::int64_t{in_.value<std::int16_t>()};
      case kU32:
        return std::uint64_t{in_.value<std::uint32_t>()};
      case kI32:
        return std::int64_t{in_.value<std::int32_t>()};
      case kU64:
        return in_.value<std::uint64_t>();
      case kI64:
        return in_.value<std::int64_t>();
      case kF32:
        return static_cast<double>(in_.value<float>());
      default:
        return in_.value<double>();
    }
  }

  bool kept_text(GgufValue& out, const std::string& key) {
    const auto length = in_.value<std::uint64_t>();
    if (!in_.ok() || length > in_.remaining()) return ended(key);
    if (length > kKeptTextBytes) {
      out = GgufSkipped{length};
      return in_.skip(length) || ended(key);
    }
    out = std::string(in_.bytes(static_cast<std::size_t>(length)));
    return in_.ok() || ended(key);
  }

  bool array(GgufValue& out, const std::string& key) {
    const std::uint64_t start = in_.position();
    const auto type = in_.value<std::uint32_t>();
    const auto length = in_.value<std::uint64_t>();
    if (!in_.ok()) return ended(key);
    if (type == kArray) {
      return wrong(ErrorKind::unsupported, "an array of arrays", key, start,
                   "no known model has one: convert the model again");
    }
    const std::uint64_t width = type == kString ? 8 : width_of(type);
    if (width == 0) {
      return wrong(ErrorKind::bad_input, fmt::format("an array of unknown type {}", type), key,
                   start, "the file is damaged, or newer than this program");
    }
    if (length > in_.remaining() / width) {
      return wrong(ErrorKind::too_large,
                   fmt::format("claims {} entries where {} bytes are left", with_commas(length),
                               with_commas(in_.remaining())),
                   key, start + 4, "the download is not complete or damaged: fetch it again");
    }
    if (type == kString) return skip_texts(out, length, key);
    if (length > kKeptNumbers || type == kF32 || type == kF64) {
      out = GgufSkipped{length};
      return in_.skip(length * width) || ended(key);
    }
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(length));
    for (std::uint64_t i = 0; i < length; ++i) {
      const GgufValue value = number(type);
      const auto* plain = std::get_if<std::uint64_t>(&value);
      values.push_back(plain != nullptr ? static_cast<std::int64_t>(*plain)
                                        : std::get<std::int64_t>(value));
    }
    out = std::move(values);
    return in_.ok() || ended(key);
  }

  bool skip_texts(GgufValue& out, std::uint64_t count, const std::string& key) {
    out = GgufSkipped{count};
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto length = in_.value<std::uint64_t>();
      if (!in_.skip(length)) return ended(key);
    }
    return in_.ok() || ended(key);
  }

  bool table() {
    std::unordered_set<std::string_view> names;
    header_.tensors.reserve(static_cast<std::size_t>(tensor_count_));
    for (std::uint64_t i = 0; i < tensor_count_; ++i) {
      const std::uint64_t start = in_.position();
      std::string_view view;
      if (!text(view, kNameBytes, fmt::format("tensor {}", i))) return false;
      GgufTensor tensor{.name = std::string(view)};
      if (!extents(tensor) || !stored_size(tensor)) return false;
      header_.tensors.push_back(std::move(tensor));
      // The vector was reserved: the views stay where they are.
      if (!names.insert(header_.tensors.back().name).second) {
        return wrong(ErrorKind::bad_input, "the tensor is there twice", header_.tensors.back().name,
                     start, "the file is damaged: convert the model again");
      }
    }
    return true;
  }

  bool extents(GgufTensor& tensor) {
    const std::uint64_t start = in_.position();
    tensor.dimensions = in_.value<std::uint32_t>();
    if (!in_.ok()) return ended(tensor.name);
    if (tensor.dimensions == 0 || tensor.dimensions > tensor.extent.size()) {
      return wrong(ErrorKind::bad_input,
                   fmt::format("a tensor of {} dimensions; 1 to 4 are possible", tensor.dimensions),
                   tensor.name, start, "the file is damaged: fetch it again");
    }
    for (std::uint32_t d = 0; d < tensor.dimensions; ++d) {
      tensor.extent[d] = in_.value<std::uint64_t>();
    }
    return in_.ok() || ended(tensor.name);
  }

  bool stored_size(GgufTensor& tensor) {
    const std::uint64_t start = in_.position();
    const auto type = in_.value<std::uint32_t>();
    tensor.offset = in_.value<std::uint64_t>();
    if (!in_.ok()) return ended(tensor.name);
    const auto format = facts::gguf_format(type);
    if (!format) {
      return wrong(ErrorKind::unsupported, fmt::format("unknown tensor type {}", type), tensor.name,
                   start, "the file is damaged, or its type is newer than this program");
    }
    tensor.format = *format;
    std::optional<std::uint64_t> rows = 1;
    for (std::size_t d = 1; d < 4 && rows; ++d) rows = checked_mul(*rows, tensor.extent[d]);
    const auto elements = rows ? checked_mul(*rows, tensor.extent[0]) : std::nullopt;
    constexpr std::uint64_t limit = std::uint64_t{1} << 62;
    if (!elements || *elements > limit) {
      return wrong(ErrorKind::too_large, "a tensor of more than 2^62 elements", tensor.name, start,
                   "the file is damaged: fetch it again");
    }
    if (tensor.extent[0] % format->block_elements != 0) {
      return wrong(ErrorKind::bad_input,
                   fmt::format("rows of {} elements do not fill blocks of {} ({})",
                               tensor.extent[0], format->block_elements, format->name),
                   tensor.name, start, "the file is damaged: convert the model again");
    }
    tensor.bytes = format->matrix_bytes(*rows, tensor.extent[0]);
    return true;
  }

  bool place_data() {
    const std::uint64_t alignment = header_.metadata.number("general.alignment").value_or(32);
    if (alignment == 0 || alignment > (1u << 20) || (alignment & (alignment - 1)) != 0) {
      return wrong(ErrorKind::bad_input, fmt::format("an alignment of {} bytes", alignment),
                   "general.alignment", in_.position(), "it must be a power of two");
    }
    header_.data_start = round_up(in_.position(), alignment);
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : header_.tensors) order.push_back(&tensor);
    std::ranges::sort(order, {}, &GgufTensor::offset);
    std::uint64_t end = 0;
    for (const GgufTensor* tensor : order) {
      if (tensor->offset % alignment != 0 || tensor->offset < end) {
        return wrong(ErrorKind::bad_input,
                     tensor->offset < end ? "its data overlap those of another tensor"
                                          : "its data are not aligned",
                     tensor->name, in_.position(), "the file is damaged: convert the model again");
      }
      end = saturating_add(tensor->offset, tensor->bytes.value());
    }
    header_.data_is_whole = saturating_add(header_.data_start, end) <= in_.size();
    return true;
  }

  PieceReader in_;
  std::string path_;
  GgufHeader header_;
  std::uint64_t tensor_count_ = 0, pair_count_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<GgufHeader> read_gguf_header(os::Files& files, const std::string& path) {
  const auto size = files.size(path);
  if (!size) return fail(Error(size.error()).in_file(path));
  return GgufParser(files, path, *size).parse();
}

}  // namespace steelyard::model
