// Memory, discs and networks of the host: "120G内存", "RAM 256GB", "8*64G DDR5", "16核64G",
// "200Gbps IB".
#include <array>
#include <regex>

#include "claims/advert.h"

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
      R"(|(?:system )?(?:ram|memory ddr|ssd|nvme|hdd|disk|storage|ddr[345]?)"
      R"(|lpddr5x?|m\.2|u\.2|sata)(?![a-z0-9])))";
  return text;
}

struct Pattern {
  std::regex expression;
  bool outside_names;  // the number must not belong to a card's name
};

std::vector<Pattern> patterns() {
  const auto expression = [](const std::string& text) {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  };
  const std::string &size = size_text(), &word = host_words();
  const std::string rate =
      R"(\d{1,5}(?:\.\d{1,2})? ?(?:gbps|gb/s|gbit/s|gbit|gbe|gb|g|tbps|tb/s|t|mbps|m))";
  const std::string net = R"((?:ib|infiniband|roce(?:v2)?|rdma|网卡|网络|以太网?|ethernet)"
                          R"(|光口|光模块|公网|内网|nic|hdr|ndr|xdr|connectx))";
  std::vector<Pattern> all;
  all.push_back({expression(size + R"((?:ddr[345]? ?)?)" + word), true});
  all.push_back({expression(R"(\d{1,5}(?:\.\d)? ?k?w ?(?:电源|psu|power supply))"), true});
  all.push_back({expression(R"((?:电源|psu)[ :]{0,2}\d{1,5}(?:\.\d)? ?k?w)"), true});
  all.push_back({expression(size + " " + word), true});
  all.push_back({expression(word + R"((?:容量)?(?: |:|：|=){0,3}(?:ddr[345] ?)?)" + size), false});
  all.push_back(
      {expression(R"(\d{1,3} ?(?:核|vcpu|c)(?: |/|\+|-|,){0,2}\d{1,4} ?(?:gib|gb|g)(?![a-z0-9/]))"),
       true});
  all.push_back(
      {expression(R"((?:\d{1,2} ?(?:x|\*|×) ?)?)" + rate + R"((?: |x|\*|×|\d){0,4})" + net), true});
  all.push_back(
      {expression(net + R"((?:带宽)?(?: |:|：){0,2}(?:\d{1,2} ?(?:x|\*|×) ?)?)" + rate), true});
  all.push_back(
      {expression(
           R"((?:上行|下行|宽带|公网带宽|带宽)(?: |:|：){0,2}\d{1,5} ?(?:mbps|m)(?![a-z0-9]))"),
       true});
  return all;
}

}  // namespace

void find_host(Advert& advert, std::vector<std::string>& aside) {
  const std::vector<Pattern> all = patterns();
  const std::string& text = advert.lowered;
  for (const Pattern& pattern : all) {
    for (std::sregex_iterator match(text.begin(), text.end(), pattern.expression), none;
         match != none; ++match) {
      Span span{static_cast<std::size_t>(match->position()), 0};
      span.end = span.at + static_cast<std::size_t>(match->length());
      std::size_t number = span.at;
      while (number < span.end && (text[number] < '0' || text[number] > '9')) ++number;
      bool skip = advert.is_taken(number);
      // "GPU内存 24G", "统一内存 128G" are the card's own.
      for (const std::string_view own : {"gpu", "gpu ", "显卡", "统一", "unified ", "gpu-"}) {
        skip = skip || std::string_view(text).substr(0, span.at).ends_with(own);
      }
      // "24.5GB": not the tail of a longer number or word.
      if (span.at > 0 && number == span.at) {
        const char before = text[span.at - 1];
        skip = skip || (before >= '0' && before <= '9') || before == '.' ||
               (before >= 'a' && before <= 'z');
      }
      if (pattern.outside_names) {
        for (const Named& named : advert.named) {
          skip = skip || (number >= named.at && number < named.wide_end);
        }
      }
      if (skip) continue;
      advert.take(span);
      aside.push_back(advert.text.substr(span.at, span.end - span.at));
    }
  }
}

}  // namespace steelyard::claims
