#include <gtest/gtest.h>

#include <string>

#include "facts/pack.h"

namespace steelyard::facts {
namespace {

constexpr const char* own_card = R"([[card]]
id = "acme-x1"
name = "Acme X1"
vendor = "Acme"
form = "datacenter"
short_names = ["x1"]
sold_as_gb = 64
bandwidth_gb_per_s = 2000
dense_tflop_per_s = { bf16 = 500 }
confidence = "mixed"
sources = ["our own purchase order"]
)";

TEST(Catalogue, ACardIsAddedWithoutACompiler) {
  os::FilesTwin files;
  files.files["mine/accelerators/acme.toml"] = own_card;
  files.files["mine/links/acme.toml"] =
      "[[link]]\nkey = \"acmelink\"\nname = \"Acme link\"\nscope = \"node\"\n"
      "per_direction_gb_per_s = 100\nbidirectional_gb_per_s = 200\nsources = [\"sheet\"]\n";
  Catalogue catalogue = Catalogue::embedded().value();
  const std::size_t before = catalogue.accelerators().size();
  const Status done = catalogue.overlay(files, "mine");
  ASSERT_TRUE(done) << describe(done.error());
  EXPECT_EQ(catalogue.accelerators().size(), before + 1);
  const CardMatch match = catalogue.find_card("Acme X1 64GB");
  ASSERT_EQ(match.variants.size(), 1u);
  EXPECT_DOUBLE_EQ(match.variants.front()->dense.at("bf16").value(), 500e12);
  EXPECT_GT(usable_memory(*match.variants.front()).total.value, gib(60));
  ASSERT_NE(catalogue.find_link("Acme Link"), nullptr);
  EXPECT_DOUBLE_EQ(catalogue.find_link("acmelink")->bidirectional.value(), 200e9);
}

TEST(Catalogue, AnIdThatExistsIsOverridden) {
  os::FilesTwin files;
  std::string text = own_card;
  text.replace(text.find("acme-x1"), 7, "nvidia-h100-sxm5-80gb");
  files.files["mine/accelerators/h100.toml"] = text;
  Catalogue catalogue = Catalogue::embedded().value();
  const std::size_t before = catalogue.accelerators().size();
  ASSERT_TRUE(catalogue.overlay(files, "mine"));
  EXPECT_EQ(catalogue.accelerators().size(), before);
  EXPECT_EQ(catalogue.find_card("x1").variants.at(0)->name, "Acme X1");
}

TEST(Catalogue, CapturesOfOnesOwnCount) {
  os::FilesTwin files;
  files.files["mine/accelerators/usable.toml"] =
      "[[seen]]\ncards = [\"nvidia-l20\"]\ncuda_total_gib = [44.5]\nsources = [\"here\"]\n";
  Catalogue catalogue = Catalogue::embedded().value();
  ASSERT_TRUE(catalogue.overlay(files, "mine"));
  EXPECT_NEAR(usable_memory(*catalogue.find_card("L20").variants.at(0)).total.value.as_gib(), 44.5,
              0.01);
}

TEST(Catalogue, WrongFactsAreNamed) {
  struct Bad {
    const char* from;
    const char* to;
    const char* field;  // part of the error's field
  };
  const Bad cases[] = {
      {"sold_as_gb = 64", "sold_as_gb = 0", "card[0].sold_as_gb"},
      {"sold_as_gb = 64", "sold_as_gb = -1", "card[0].sold_as_gb"},
      {"sold_as_gb = 64", "sold_as_gb = nan", "card[0].sold_as_gb"},
      {"sold_as_gb = 64", "sold_as_gb = inf", "card[0].sold_as_gb"},
      {"sold_as_gb = 64", "sold_as_gb = \"64\"", "card[0].sold_as_gb"},
      {"sold_as_gb = 64", "sold_as_gb = 64\nsizes_gb = [32]", "card[0].sizes_gb"},
      {"sold_as_gb", "sold_as_gib", "card[0].sold_as_gib"},
      {"bf16 = 500", "bf15 = 500", "dense_tflop_per_s.bf15"},
      {"bf16 = 500", "bf16 = true", "dense_tflop_per_s.bf16"},
      {"{ bf16 = 500 }", "[500]", "dense_tflop_per_s"},
      {"confidence = \"mixed\"", "confidence = \"sure\"", "confidence"},
      {"confidence = \"mixed\"\n", "", "confidence"},
      {"sources = [\"our own purchase order\"]", "", "sources"},
      {"sources = [\"our own purchase order\"]", "sources = [1]", "sources"},
      {"short_names = [\"x1\"]", "short_names = \"x1\"", "short_names"},
      {"id = \"acme-x1\"\n", "", "card[0].id"},
      {"[[card]]", "[card]", "card"},
      {"[[card]]", "[[cards]]", "cards"},
      {"id = \"acme-x1\"", "id = ", "line"},
      {"confidence", "pcie_lanes = 1.5\nconfidence", "pcie_lanes"},
  };
  for (const Bad& bad : cases) {
    std::string text = own_card;
    const auto at = text.find(bad.from);
    ASSERT_NE(at, std::string::npos) << bad.from;
    text.replace(at, std::string_view(bad.from).size(), bad.to);
    os::FilesTwin files;
    files.files["mine/accelerators/acme.toml"] = text;
    Catalogue catalogue = Catalogue::embedded().value();
    const Status done = catalogue.overlay(files, "mine");
    ASSERT_FALSE(done) << bad.to;
    EXPECT_EQ(done.error().kind, ErrorKind::bad_input) << bad.to;
    EXPECT_EQ(done.error().file, "mine/accelerators/acme.toml") << bad.to;
    EXPECT_NE(done.error().field.find(bad.field), std::string::npos)
        << bad.to << " -> " << done.error().field;
  }
  os::FilesTwin empty;
  Catalogue catalogue = Catalogue::embedded().value();
  EXPECT_EQ(catalogue.overlay(empty, "nowhere").error().kind, ErrorKind::not_found);
}

TEST(Catalogue, TheSameIdTwiceIsAnError) {
  os::FilesTwin files;
  files.files["mine/accelerators/a.toml"] = own_card;
  files.files["mine/accelerators/b.toml"] = own_card;
  Catalogue catalogue = Catalogue::embedded().value();
  EXPECT_FALSE(catalogue.overlay(files, "mine"));
}

TEST(Pack, BrokenBytesAreRefused) {
  Facts facts;
  facts.accelerators = parse_accelerators(own_card, "own").value();
  const std::string good = write_pack(facts);
  ASSERT_TRUE(read_pack(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read_pack(good.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_pack(good + "x"));
  std::string lying = good;
  // The first count: four thousand million cards.
  lying.replace(std::string_view("steelyard facts 1\n").size(), 4, "\xff\xff\xff\xff");
  EXPECT_FALSE(read_pack(lying));
}

TEST(Links, AreFoundByAnyUsualSpelling) {
  const Catalogue catalogue = Catalogue::embedded().value();
  struct Case {
    const char* text;
    const char* key;
    double per_direction_gb, tolerance;
  };
  const Case cases[] = {
      {"nvlink4", "nvlink4", 450, 0.1},
      {"NVLink 4.0", "nvlink4", 450, 0.1},
      {"NVLink 5", "nvlink5", 900, 0.1},
      {"nvlink", "nvlink3", 300, 0.1},
      {"PCIe 4.0 x16", "pcie4-x16", 31.5, 0.1},
      {"pcie gen4 x8", "pcie4-x8", 15.75, 0.1},
      {"PCIe 5.0", "pcie5-x16", 63, 0.1},
      {"PCIe 3.0 x16", "pcie3-x16", 15.75, 0.1},
      {"pcie6 x16", "pcie6-x16", 121, 0.1},
      {"IB NDR", "infiniband-ndr", 50, 0.1},
      {"infiniband 400", "infiniband-ndr", 50, 0.1},
      {"HDR", "infiniband-hdr", 25, 0.1},
      {"25GbE", "ethernet-25g", 3.125, 0.01},
      {"RoCE 400G", "ethernet-400g", 50, 0.1},
      {"100g", "ethernet-100g", 12.5, 0.1},
      {"Infinity Fabric", "infinity-fabric-mi300x", 448, 0.1},
      {"HCCS", "hccs", 196, 0.1},
      {"EFA v2", "efa-v2", 400, 0.1},
  };
  for (const Case& c : cases) {
    const Link* link = catalogue.find_link(c.text);
    ASSERT_NE(link, nullptr) << c.text;
    EXPECT_EQ(link->key, c.key) << c.text;
    EXPECT_NEAR(link->per_direction.value() / 1e9, c.per_direction_gb, c.tolerance) << c.text;
  }
  for (const char* text : {"", "nvlink9", "pcie 7", "30GbE", "carrier pigeon", "x16"}) {
    EXPECT_EQ(catalogue.find_link(text), nullptr) << text;
  }
}

}  // namespace
}  // namespace steelyard::facts
