#include "hub/hub.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hub/address.h"
#include "hub/listing.h"

namespace steelyard::hub {
namespace {

constexpr std::string_view kCommit = "0123456789abcdef0123456789abcdef01234567";
const std::string kList = "http://hub.test/api/models/o/m/revision/main?blobs=true";

Environment with(std::map<std::string, std::string, std::less<>> variables) {
  return [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string safetensors() {
  const std::string json =
      R"({"model.embed_tokens.weight":{"dtype":"BF16","shape":[4,2],"data_offsets":[0,16]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(json.size());
  return file + json + std::string(16, 'x');
}

os::HttpResponse page(std::string body, int status = 200) {
  os::HttpResponse answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

struct Hub : testing::Test {
  os::HttpTwin http;
  os::FilesTwin disk;
  Asked asked{.environment = with({{"HF_ENDPOINT", "http://hub.test/"}, {"HOME", "/home/u"}}),
              .known_names = {"Qwen/Qwen3-32B", "o/model"}};

  void SetUp() override {
    const nlohmann::json list = {
        {"id", "o/m"}, {"sha", kCommit}, {"siblings", {{{"rfilename", "model.safetensors"}}}}};
    http.answers[kList] = page(list.dump());
    http.answers["http://hub.test/o/m/resolve/" + std::string(kCommit) + "/model.safetensors"] =
        page(safetensors());
  }
  Result<Fetched> get(std::string_view model) { return fetch(http, disk, asked, model); }
};

TEST_F(Hub, TwoRequestsBringOneFile) {
  const auto fetched = get("hf:o/m");
  ASSERT_TRUE(fetched) << describe(fetched.error());
  EXPECT_EQ(fetched->source, "hf:o/m@" + std::string(kCommit));
  EXPECT_EQ(fetched->files->read(fetched->path + "/model.safetensors", 0, 8)->size(), 8u);
  EXPECT_EQ(http.calls.size(), 2u);
  EXPECT_EQ(fetched->traffic().requests, 2u);
}

TEST_F(Hub, NothingIsKeptUntilTheReadingWasGood) {
  const auto fetched = get("hf:o/m");
  ASSERT_TRUE(fetched);
  EXPECT_TRUE(disk.files.empty());
  fetched->keep();
  EXPECT_EQ(disk.files.size(), 2u);
  asked.offline = true;
  http.calls.clear();
  ASSERT_TRUE(get("hf:o/m"));
  EXPECT_TRUE(http.calls.empty());
}

TEST_F(Hub, ADamagedCacheIsFetchedAgain) {
  get("hf:o/m")->keep();
  for (auto& [name, content] : disk.files) content.back() ^= 1;
  http.calls.clear();
  ASSERT_TRUE(get("hf:o/m"));
  EXPECT_EQ(http.calls.size(), 2u);
  asked.offline = true;
  const auto offline = get("hf:o/m");
  ASSERT_FALSE(offline);
  EXPECT_NE(offline.error().what.find("--offline"), std::string::npos);
}

TEST_F(Hub, HostileListingsAreErrors) {
  for (const std::string bad :
       {"", "{", "[]", "null", "{\"siblings\":3,\"sha\":\"x\"}", "<html>log in</html>",
        "{\"siblings\":[]}", "{\"siblings\":[{\"rfilename\":7}],\"sha\":\"../../etc\"}",
        "{\"sha\":\"0123456789abcdef0123456789abcdef01234567\",\"siblings\":[{\"rfilename\":"
        "\"../model.safetensors\"}]}"}) {
    http.answers[kList] = page(bad);
    const auto fetched = get("hf:o/m");
    ASSERT_FALSE(fetched) << bad;
    EXPECT_FALSE(fetched.error().try_this.empty()) << bad;
  }
}

TEST_F(Hub, SaysWhatToDo) {
  struct {
    int status;
    std::pair<std::string, std::string> header;
    std::string_view word;
  } const rows[] = {{401, {"x-error-code", "GatedRepo"}, "HF_TOKEN"},
                    {403, {"a", "b"}, "licence"},
                    {401, {"x-error-code", "RepoNotFound"}, "o/model"},
                    {404, {"a", "b"}, "o/model"},
                    {404, {"x-error-code", "RevisionNotFound"}, "@revision"},
                    {429, {"retry-after", "17"}, "wait 17 s"},
                    {503, {"a", "b"}, "later"},
                    {407, {"a", "b"}, "NO_PROXY"}};
  for (const auto& row : rows) {
    auto answer = page("", row.status);
    answer.headers.insert(row.header);
    http.answers[kList] = answer;
    const auto fetched = get("hf:o/m");
    ASSERT_FALSE(fetched) << row.status;
    EXPECT_NE(describe(fetched.error()).find(row.word), std::string::npos)
        << row.status << "\n"
        << describe(fetched.error());
  }
}

TEST_F(Hub, IgnoredRangesStopAtTheCap) {
  http.ignores_ranges = true;
  http.answers["http://hub.test/o/m/resolve/" + std::string(kCommit) + "/model.safetensors"] =
      page(safetensors() + std::string(1 << 20, 'x'));
  const auto fetched = get("hf:o/m");
  ASSERT_TRUE(fetched);
  EXPECT_LT(fetched->traffic().bytes, 70'000u);
}

TEST(HubAddress, TakesAndRefuses) {
  os::FilesTwin disk;
  const auto none = with({});
  for (const std::string_view bad : {"hf:", "hf:a", "hf:a/", "hf:/a", "hf:a/../b", "hf:a/b@",
                                     "hf:a/b@x y", "hf:a/b/../c", "hf:a/b:q 4", "hf:a/b?c"}) {
    EXPECT_FALSE(parse_address(disk, none, bad)) << bad;
  }
  const auto full = parse_address(disk, none, "hf:a/b:Q4_K_M@refs/pr/1");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->variant, "Q4_K_M");
  EXPECT_EQ(full->list_url(),
            "https://huggingface.co/api/models/a/b/revision/refs%2Fpr%2F1?blobs=true");
  const auto ms = parse_address(disk, none, "ms:a/b/x.gguf");
  EXPECT_EQ(ms->file_url(ms->file, "master"),
            "https://www.modelscope.cn/api/v1/models/a/b/repo?Revision=master&FilePath=x.gguf");
}

TEST(HubAddress, TokensComeFromVariableOrFile) {
  os::FilesTwin disk;
  disk.files["/h/.cache/huggingface/token"] = "hf_file\n";
  EXPECT_EQ(parse_address(disk, with({{"HOME", "/h"}}), "hf:a/b")->secrets[0].second,
            "Bearer hf_file");
  EXPECT_EQ(
      parse_address(disk, with({{"HF_TOKEN", "t"}, {"HOME", "/h"}}), "hf:a/b")->secrets[0].second,
      "Bearer t");
  EXPECT_TRUE(parse_address(disk, with({{"HF_TOKEN", "t\r\nX: y"}}), "hf:a/b")->secrets.empty());
}

TEST(HubListing, ChoosesGgufByWholeWord) {
  Listing listing;
  for (const char* name : {"m-Q4_K_M.gguf", "m-Q4_K_S.gguf", "m-IQ4_K_M.gguf", "mmproj-f16.gguf",
                           "m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf"}) {
    listing.files.push_back({.path = name});
  }
  EXPECT_EQ(gguf_choices(listing, "q4_k_m"), std::vector<std::string>{"m-Q4_K_M.gguf"});
  EXPECT_EQ(gguf_choices(listing, "Q8_0").size(), 1u);
  EXPECT_EQ(gguf_choices(listing, "").size(), 4u);
  EXPECT_TRUE(gguf_choices(listing, "q4").empty());
}

TEST(LocalCaches, AreFound) {
  os::FilesTwin disk;
  disk.files["/h/.cache/huggingface/hub/models--o--m/refs/main"] = "c1";
  disk.files["/h/.cache/huggingface/hub/models--o--m/snapshots/c1/model.safetensors"] = "x";
  disk.files["/h/.cache/huggingface/hub/models--o--bare/refs/main"] = "c2";
  disk.files["/h/.cache/huggingface/hub/models--o--bare/snapshots/c2/config.json"] = "{}";
  disk.files["/h/.cache/modelscope/hub/models/o/v1___5/model.safetensors"] = "x";
  disk.files["/h/.ollama/models/manifests/registry.ollama.ai/library/llama3/8b"] =
      R"({"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:ab"}]})";
  disk.files["/h/.ollama/models/blobs/sha256-ab"] = "GGUF";
  const auto home = with({{"HOME", "/h"}});
  const std::string hub = "/h/.cache/huggingface/hub/models--o--m";
  const std::string blob = "/h/.ollama/models/blobs/sha256-ab";
  EXPECT_EQ(find_local(disk, home, "o/m"), hub + "/snapshots/c1");
  EXPECT_EQ(find_local(disk, home, hub), hub + "/snapshots/c1");
  EXPECT_EQ(find_local(disk, home, "o/bare"),
            std::nullopt);  // no weights: the catalogue knows more
  EXPECT_EQ(find_local(disk, home, "o/v1.5"), "/h/.cache/modelscope/hub/models/o/v1___5");
  EXPECT_EQ(find_local(disk, home, "ollama:llama3:8b"), blob);
  EXPECT_EQ(find_local(disk, home, "llama3:8b"), blob);
  EXPECT_EQ(find_local(disk, home, "llama3:70b"), std::nullopt);
  EXPECT_EQ(find_local(disk, home, "../x"), std::nullopt);
}

}  // namespace
}  // namespace steelyard::hub
