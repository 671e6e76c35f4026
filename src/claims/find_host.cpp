// Memory, discs and networks of the host: "120G内存", "RAM 256GB", "8*64G DDR5", "16核64G",
// "200Gbps IB".
#include <algorithm>
#include <cmath>
#include <iterator>
#include <regex>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

// Bounded repeats only: the matcher of the library recurses.
const std::string& size_text() {
  static const std::string text =
      R"((?:\d{1,2} ?(?:x|\*|×) ?)?\d{1,6}(?:\.\d{1,2})?)"
      R"( ?(?:tib|tb|gib|gb|g|t|mb|m)(?: ?(?:x|\*|×) ?\d{1,2}(?![\d.]))?)";
  return text;
}

const std::string& host_words() {
  static const std::string text =
      R"((?:系统内存|主机内存|cpu内存|运行内存|内存|系统盘|数据盘|云盘|硬盘|磁盘|固态|存储|机械|swap|电源|psu)"
      R"(|(?:of )?(?:(?:system|host|cpu|server|main) (?:memory|ram|dram))"
      R"(|(?:of )?(?:system |host |hard |local |cloud |boot |data )?)"
      R"((?:ram|dram|memory ddr|ssd|nvme|hdd|disks?|storage|hard drive|drive|swap|ddr[345]?))"
      R"(|(?:lpddr5x?|m\.2|u\.2|sata))(?![a-z0-9])))";
  return text;
}

// What stands behind a unit must not carry it on: "1979T" of "1979TFLOPS" is no network's rate.
constexpr std::string_view unit_ends = R"((?![a-wyz0-9]|x[a-z]|/[a-z]))";

struct Pattern {
  std::regex expression;
  bool outside_names;    // the number must not belong to a card's name
  bool network = false;  // groups: the number and its unit
};

std::regex expression_of(const std::string& text) {
  return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
}

std::vector<Pattern> network_patterns() {
  const std::string rate =
      R"((\d{1,5}(?:\.\d{1,2})?) ?(gbps|gb/s|gbit/s|gbit|gbe|gb|g|tbps|tb/s|t|mbps|m))";
  const std::string net =
      R"((?:(?:ib|infiniband|roce(?:v2)?|rdma|ethernet|nic|hdr|ndr|xdr)(?![a-z]))"
      R"(|connectx(?:-?\d)?|bluefield(?:-?\d)?)"
      R"(|网卡|网络|以太网?|光口|光模块|公网|内网))";
  std::vector<Pattern> all;
  all.push_back(
      {expression_of(R"((?:\d{1,2} ?(?:x|\*|×) ?)?)" + rate + R"((?: |x|\*|×|\d){0,4})" + net),
       false, true});
  all.push_back(
      {expression_of(net + R"((?:带宽)?(?: |:|：){0,2}(?:\d{1,2} ?(?:x|\*|×) ?)?)" + rate +
                     std::string(unit_ends) + R"((?:(?:x|\*|×)\d{1,2}(?![a-z0-9.]))?)"),
       false, true});
  return all;
}

std::vector<Pattern> patterns() {
  const std::string &size = size_text(), &word = host_words();
  const std::string ends(unit_ends), disk = R"((?:硬盘|磁盘|固态|ssd|nvme))";
  std::vector<Pattern> all;
  const auto add = [&](const std::string& text, bool outside_names) {
    all.push_back({expression_of(text), outside_names});
  };
  add(size + R"((?:ddr[345]? ?)?)" + word, true);
  add(R"(\d{1,5}(?:\.\d)? ?k?w ?(?:电源|psu|power supply))", true);
  add(R"((?:电源|psu)[ :]{0,2}\d{1,5}(?:\.\d)? ?k?w)", true);
  add(size + " " + word, true);
  add(word + R"((?:容量)?(?: |:|：|=){0,3}(?:ddr[345] ?)?)" + size + ends, false);
  add(word + R"((?: |:|：|=){0,3}\d{3,5} ?(?:mhz|mt/s))", false);
  add(disk + R"((?: |:|：|=){0,3}\d{1,2}(?:\.\d{1,2})? ?gb/s)", false);
  add(R"(\d{1,2}(?:\.\d{1,2})? ?gb/s ?)" + disk, true);
  add(R"(\d{1,3} ?(?:核|vcpu|c)(?: |/|\+|-|,){0,2}\d{1,4} ?(?:gib|gb|g)(?![a-z0-9/]))", true);
  std::ranges::move(network_patterns(), std::back_inserter(all));
  add(R"((?:上行|下行|宽带|公网带宽|带宽)(?: |:|：){0,2}\d{1,5} ?(?:mbps|m)(?![a-z0-9]))", true);
  return all;
}

// Rates of ports and of hosts with several of them, in Gbit/s.
bool port_rate(double gbit) {
  constexpr double small[] = {1, 2.5, 5, 10, 20, 25, 40, 50, 56, 112};
  if (std::ranges::find(small, gbit) != std::end(small)) return true;
  return gbit >= 100 && gbit <= 12800 && std::fmod(gbit, 100) < 0.5;
}

// The words before `at`, without blanks and colons, end in one that makes the number the card's.
bool bound_before(std::string_view text, std::size_t at, bool link_too) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == ':')) --at;
  const std::string_view head = text.substr(0, at);
  const auto ends = [&](std::string_view word) { return head.ends_with(word); };
  for (const std::string_view own : {"gpu", "gpu-", "显卡", "统一", "unified", "显存", "显存容量",
                                     "显存带宽", "vram", "gpu memory"}) {
    if (!ends(own)) continue;
    // "24G显存 120G内存": that word has its number already.
    const std::size_t before = back_over_blanks(text, at - own.size());
    return before == 0 || (text[before - 1] != 'g' && text[before - 1] != 'b');
  }
  return link_too && (ends("nvlink") || ends("nvlink带宽") || ends("hbm3") || ends("hbm3e"));
}

// Whether a network may have that rate: what is the card's own must not vanish beside "IB".
bool may_be_network(const Advert& advert, const std::smatch& match, std::size_t at) {
  const double value = std::strtod(match[1].str().c_str(), nullptr);
  const std::string unit = match[2].str();
  const auto unit_at = static_cast<std::size_t>(match.position(2));
  const std::string_view behind = std::string_view(advert.lowered).substr(unit_at + unit.size());
  // "25G网卡", "3.2TIB", but "80GiB".
  const bool glued = is_digit(advert.lowered[at]) && !behind.starts_with(' ');
  if (glued && behind.starts_with("ib")) {
    return unit == "t" && advert.text.substr(unit_at + 1).starts_with("IB") && value <= 60;
  }
  const bool starts = static_cast<std::size_t>(match.position(1)) == at;
  if (unit == "g" || unit == "gb") {
    if (starts && bound_before(advert.lowered, at, false)) return false;
    // "NVLink 900G IB 400G"
    if (starts && bound_before(advert.lowered, at, true) && speed_of_a_card(advert, value * 1e9)) {
      return false;
    }
    return port_rate(value) && (glued || !label_of_a_card(advert, value));
  }
  // Nothing at hand sends more than 60 Tbit/s; "1979T" are operations.
  if (unit == "t") return value <= 60;
  if (unit != "gb/s" && unit != "tb/s") {
    const double gbit = value * (unit == "tbps" ? 1000 : 1);
    return unit.starts_with("m") || port_rate(gbit) || !speed_of_a_card(advert, gbit * 1e9);
  }
  const double giga = value * (unit == "tb/s" ? 1000 : 1);
  if (advert.text[unit_at + 1] == 'b' && advert.text[unit_at] != 'g') return port_rate(giga);
  if (starts && bound_before(advert.lowered, at, true)) return false;
  return (port_rate(giga) || port_rate(giga * 8)) && !speed_of_a_card(advert, giga * 1e9);
}

// "24G 内存120G", "1T SSD 24G", "ssd 24g 显存": the host's word has another number, or the number
// another word.
bool belongs_to_card(const Advert& advert, Span span, std::size_t number) {
  const std::string_view text = advert.lowered;
  const auto size = number_at(text, number);
  const bool label = size && label_of_a_card(advert, size->value);
  // No host has "内存 330T"; a bare T that large counts operations.
  const bool tera = size && word_at(text, skip_blanks(text, size->end), "t");
  if (tera && (size->value > 128 || (size->value > 16 && size->last_digit < 1))) return true;
  const std::size_t next = skip_blanks(text, span.end);
  if (number > span.at) {
    for (const std::string_view own : {"显存", "vram", "hbm", "gddr", "gpu memory"}) {
      if (text.substr(next).starts_with(own)) return true;
    }
    return label && advert.is_taken(span.at);
  }
  if (bound_before(text, span.at, false)) return true;
  return label && next < text.size() && is_digit(text[next]) && size->end < text.size() &&
         text.substr(size->end, 6).contains(' ');
}

// The first number of a match, not the digit of "ddr5" or "m.2".
std::size_t number_of(std::string_view text, Span span) {
  std::size_t first = span.end;
  for (std::size_t i = span.at; i < span.end; ++i) {
    if (!is_digit(text[i])) continue;
    first = std::min(first, i);
    const bool inside = i > span.at && (is_word(text[i - 1]) || text[i - 1] == '.');
    if (!inside) return i;
  }
  return first;
}

// "24.5GB": not the tail of a longer number or word.
bool is_tail(std::string_view text, std::size_t at) {
  return at > 0 && is_word(text[at]) && (is_word(text[at - 1]) || text[at - 1] == '.');
}

}  // namespace

void find_host(Advert& advert, std::vector<std::string>& aside) {
  const std::string& text = advert.lowered;
  static const std::vector<Pattern> all = patterns();
  for (const Pattern& pattern : all) {
    for (std::sregex_iterator match(text.begin(), text.end(), pattern.expression), none;
         match != none; ++match) {
      Span span{static_cast<std::size_t>(match->position()), 0};
      span.end = span.at + static_cast<std::size_t>(match->length());
      const std::size_t number = number_of(text, span);
      bool skip = advert.is_taken(number) || is_tail(text, span.at);
      skip = skip || (pattern.network ? !may_be_network(advert, *match, span.at)
                                      : belongs_to_card(advert, span, number));
      // "GPU内存 24G", "统一内存 128G" are the card's own.
      skip = skip || (number > span.at && bound_before(text, span.at, false));
      // "4090 24G 64G内存", "4090 24GB 64GB host memory": before the host's word, and no size of
      // the card, it is not the name's.
      const std::string_view whole = std::string_view(text).substr(span.at, span.end - span.at);
      const bool glued = !whole.contains(' ');
      const bool english = number == span.at && is_word(whole.back());
      const auto size = number_at(text, number);
      const bool other = (glued || english) && size && !label_of_a_card(advert, size->value);
      for (const Named& named : advert.named) {
        const std::size_t end = other ? named.end : named.wide_end;
        skip = skip || (pattern.outside_names && number >= named.at && number < end);
      }
      if (skip) continue;
      advert.take(span);
      aside.push_back(advert.text.substr(span.at, span.end - span.at));
    }
  }
}

}  // namespace steelyard::claims
