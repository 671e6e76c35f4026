#include "model/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "model/safetensors_json.h"

namespace steelyard::model {
namespace {

constexpr std::uint64_t kHeaderBytes = 100'000'000;  // the format's own limit

class SafetensorsParser {
 public:
  SafetensorsParser(SafetensorsHeader& header, const std::string& path) : h_(header), path_(path) {}

  Status parse(std::uint64_t data_bytes) {
    JsonPull json(h_.text);
    h_.tensors.reserve(h_.text.size() / 100);
    std::string_view key;
    for (json.open('{'); json.next_key(key);) {
      if (key == "__metadata__") {
        json.skip();
      } else if (!tensor(json, key)) {
        break;
      }
    }
    if (json.ok() && !error_ && !json.at_end()) {
      json.fail_with("something follows the header's closing bracket");
    }
    if (!json.ok()) {
      return fail({.kind = ErrorKind::bad_input,
                   .what = fmt::format("the header's JSON is broken: {}", json.error()),
                   .file = path_,
                   .field = field_,
                   .byte = 8 + json.position(),
                   .try_this = "the file is damaged: fetch it again"});
    }
    if (error_) return fail(std::move(*error_));
    return check_layout(data_bytes);
  }

 private:
  bool wrong(ErrorKind kind, std::string what, std::size_t byte) {
    error_ = Error{.kind = kind,
                   .what = std::move(what),
                   .file = path_,
                   .field = field_,
                   .byte = 8 + byte,
                   .try_this = "the file is damaged: fetch it again"};
    return false;
  }

  // A name that had escapes lives in the parser's buffer: keep a copy.
  std::string_view kept(std::string_view name) {
    const char* begin = h_.text.data();
    if (name.data() >= begin && name.data() < begin + h_.text.size()) return name;
    return h_.own.emplace_back(name);
  }

  bool tensor(JsonPull& json, std::string_view name) {
    SafetensorsTensor t{.name = kept(name)};
    field_ = t.name;
    const std::size_t start = json.position();
    bool dtype = false, shape = false, offsets = false;
    std::string_view key;
    for (json.open('{'); json.next_key(key);) {
      if (key == "dtype") {
        const std::string_view word = json.string();
        if (!json.ok()) return false;
        if (!read_format(word, t.format)) {
          return wrong(ErrorKind::unsupported, fmt::format("unknown dtype \"{}\"", word), start);
        }
        dtype = true;
      } else if (key == "shape") {
        for (json.open('['); json.next_item();) {
          const std::uint64_t extent = json.number();
          if (t.dimensions == t.shape.size()) {
            return wrong(ErrorKind::bad_input, "a shape of more than 8 dimensions", start);
          }
          t.shape[t.dimensions++] = extent;
        }
        shape = true;
      } else if (key == "data_offsets") {
        json.open('[');
        if (json.next_item()) t.begin = json.number();
        if (json.next_item()) t.end = json.number();
        if (json.ok() && json.next_item()) json.fail_with("two offsets were expected");
        offsets = true;
      } else {
        json.skip();
      }
      if (!json.ok()) return false;
    }
    if (!json.ok()) return false;
    if (!dtype || !shape || !offsets) {
      return wrong(ErrorKind::bad_input,
                   fmt::format("the tensor has no {}", !dtype   ? "dtype"
                                                       : !shape ? "shape"
                                                                : "data_offsets"),
                   start);
    }
    if (!sizes_agree(t)) {
      return wrong(ErrorKind::bad_input, "dtype, shape and data_offsets do not agree", start);
    }
    h_.tensors.push_back(t);
    return true;
  }

  // Headers repeat few words: the last one is usually the next.
  bool read_format(std::string_view word, facts::Format& format) {
    if (word != last_word_) {
      const auto found = facts::safetensors_format(word);
      if (!found) return false;
      last_word_ = word;
      last_format_ = *found;
    }
    format = last_format_;
    return true;
  }

  static bool sizes_agree(const SafetensorsTensor& t) {
    if (t.begin > t.end) return false;
    std::optional<std::uint64_t> elements = 1;
    for (std::uint32_t d = 0; d < t.dimensions && elements; ++d) {
      elements = checked_mul(*elements, t.shape[d]);
    }
    if (!elements) return false;
    const auto bytes =
        checked_mul(ceil_div(*elements, t.format.block_elements), t.format.block_bytes);
    return bytes && *bytes == t.end - t.begin;
  }

  Status check_layout(std::uint64_t data_bytes) {
    std::unordered_set<std::string_view> names;
    names.reserve(h_.tensors.size());
    std::uint64_t end = 0;
    bool sorted = true;
    for (const SafetensorsTensor& t : h_.tensors) {
      field_ = t.name;
      const auto byte =
          static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, t.name.data() - h_.text.data()));
      if (!names.insert(t.name).second) {
        wrong(ErrorKind::bad_input, "the tensor is there twice", std::min(byte, h_.text.size()));
        return fail(std::move(*error_));
      }
      sorted = sorted && t.begin >= end;
      end = std::max(end, t.end);
    }
    if (!sorted && overlaps()) return fail(std::move(*error_));
    h_.data_is_whole = end <= data_bytes;
    return {};
  }

  bool overlaps() {
    std::vector<const SafetensorsTensor*> order;
    for (const SafetensorsTensor& t : h_.tensors) order.push_back(&t);
    std::ranges::sort(order, {},
                      [](const SafetensorsTensor* t) { return std::pair(t->begin, t->end); });
    std::uint64_t end = 0;
    for (const SafetensorsTensor* t : order) {
      if (t->begin < end) {
        field_ = t->name;
        wrong(ErrorKind::bad_input, "its data overlap those of another tensor", 0);
        return true;
      }
      end = t->end;
    }
    return false;
  }

  SafetensorsHeader& h_;
  const std::string& path_;
  std::string field_;
  std::string last_word_;
  facts::Format last_format_;
  std::optional<Error> error_;
};

}  // namespace

std::uint64_t SafetensorsTensor::elements() const {
  std::uint64_t product = 1;
  for (std::uint32_t d = 0; d < dimensions; ++d) product = saturating_mul(product, shape[d]);
  return product;
}

Status read_safetensors_header(os::Files& files, const std::string& path,
                               SafetensorsHeader& header) {
  const auto size = files.size(path);
  if (!size) return fail(Error(size.error()).in_file(path));
  const auto head = files.read(path, 0, 8);
  if (!head) return fail(Error(head.error()).in_file(path));
  const auto broken = [&](ErrorKind kind, std::string what, std::uint64_t byte) {
    return fail({.kind = kind,
                 .what = std::move(what),
                 .file = path,
                 .field = "header length",
                 .byte = byte,
                 .try_this = "the download is not complete or damaged: fetch it again"});
  };
  if (head->size() < 8) return broken(ErrorKind::bad_input, "the file has no room for a header", 0);
  std::uint64_t length = 0;
  std::memcpy(&length, head->data(), sizeof length);
  if (head->starts_with("version ")) {
    return broken(ErrorKind::bad_input, "a Git LFS pointer, not the file itself", 0);
  }
  if (length > kHeaderBytes) {
    return broken(ErrorKind::too_large,
                  fmt::format("claims a header of {} bytes; the format allows {}",
                              with_commas(length), with_commas(kHeaderBytes)),
                  0);
  }
  if (length > *size - 8) {
    return broken(ErrorKind::bad_input,
                  fmt::format("claims a header of {} bytes in a file of {}", with_commas(length),
                              with_commas(*size)),
                  0);
  }
  auto text = files.read(path, 8, length);
  if (!text) return fail(std::move(text.error()).in_file(path));
  header.text = std::move(*text);
  if (header.text.size() != length) {
    return broken(ErrorKind::bad_input, "the file ends inside its header", 8 + header.text.size());
  }
  return SafetensorsParser(header, path).parse(*size - 8 - length);
}

Result<SafetensorsIndex> parse_safetensors_index(std::string_view text, const std::string& path) {
  SafetensorsIndex index;
  JsonPull json(text);
  std::unordered_set<std::string> seen;
  std::string_view key, name;
  std::string bad;
  for (json.open('{'); json.next_key(key);) {
    if (key == "metadata" && json.peek() == '{') {
      for (json.open('{'); json.next_key(name);) {
        const char next = json.peek();
        if (name == "total_size" && next >= '0' && next <= '9') {
          index.total_bytes = json.number();
        } else {
          json.skip();
        }
      }
    } else if (key == "weight_map") {
      for (json.open('{'); json.next_key(name);) {
        const std::string_view shard = json.string();
        ++index.tensors;
        if (shard.empty() || shard.find('/') != std::string_view::npos ||
            shard.find('\\') != std::string_view::npos ||
            shard.find('\0') != std::string_view::npos) {
          bad = shard;
          json.fail_with("a shard must be a file name in the index's folder");
        }
        if (!seen.contains(std::string(shard))) seen.insert(std::string(shard));
      }
    } else {
      json.skip();
    }
  }
  if (json.ok() && !json.at_end()) json.fail_with("something follows the closing bracket");
  if (json.ok() && index.tensors == 0) json.fail_with("there is no weight_map");
  if (!json.ok()) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = fmt::format("the index's JSON is broken: {}", json.error()),
                 .file = path,
                 .field = "weight_map",
                 .byte = json.position(),
                 .try_this = "fetch the index again"});
  }
  index.shards.assign(seen.begin(), seen.end());
  std::ranges::sort(index.shards);
  return index;
}

}  // namespace steelyard::model
