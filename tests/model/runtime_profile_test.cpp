#include "model/runtime_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/near_name.hpp"

namespace bufferproof::model {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& json) {
  try {
    read_profile(json, "p.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RuntimeProfile, ShippedFilesAreReadRealOnesFirst) {
  std::vector<std::string> names;
  for (const RuntimeProfile& profile : shipped_profiles()) names.push_back(profile.name);
  EXPECT_THAT(names, ::testing::ElementsAre("stock", "torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-7.x",
                                            "torch_npu-dev", "as-reported"));
  EXPECT_TRUE(find_profile("as-reported")->hypothetical);
  EXPECT_EQ(find_profile("torch_npu-7.3.0"), find_profile("torch_npu-7.x"));
  EXPECT_EQ(find_profile("torch_npu-27"), nullptr);
}

TEST(RuntimeProfile, EveryShippedFactNamesItsSource) {
  for (const RuntimeProfile& profile : shipped_profiles()) {
    for (const KernelRules& rules : profile.kernels)
      EXPECT_TRUE(
          std::any_of(profile.sources.begin(), profile.sources.end(),
                      [&](const auto& s) { return s.first == name(rules.kind) && s.second.size() > 20; }))
          << profile.name << " " << name(rules.kind);
    const bool behaves = profile.name != "stock";
    EXPECT_EQ(profile.sources.size(), profile.kernels.size() + (behaves ? 9u : 0u)) << profile.name;
  }
}

TEST(RuntimeProfile, DeliveriesAreThoseTheSourcesSay) {  // E3 E4 E5
  const auto delivery = [](std::string_view profile) {
    return find_profile(profile)->rules(KernelKind::mlir_auto_fallback)->fallback;
  };
  EXPECT_EQ(delivery("torch_npu-7.x"), Delivery::rebind_data);
  EXPECT_EQ(delivery("torch_npu-26.0.0"), Delivery::rebind_data);
  EXPECT_EQ(delivery("torch_npu-26.1.0"), Delivery::copy);
  EXPECT_EQ(delivery("torch_npu-dev"), Delivery::rebind_set);
  EXPECT_EQ(delivery("as-reported"), Delivery::drop);
  EXPECT_EQ(find_profile("stock")->rules(KernelKind::mlir_auto_fallback), nullptr);
  const auto* dev = find_profile("torch_npu-dev")->rules(KernelKind::import_fx);
  EXPECT_FALSE(dev->has_tuned);
  EXPECT_EQ(dev->fallback_on_dtype_mismatch, Delivery::copy);
}

TEST(RuntimeProfile, EveryReleaseTunesOnTheRealOutputs) {  // E10
  for (const RuntimeProfile& profile : shipped_profiles())
    EXPECT_EQ(profile.tuning_on_real_outputs, profile.name != "stock") << profile.name;
}

TEST(RuntimeProfile, UserFileNeedsOnlyAName) {
  const RuntimeProfile profile = read_profile(R"({"name": "mine", "behaviour": {"dynamic_tiling_race": true},
      "kernels": {"mlir_auto_fallback": {"fallback": "rebind_set"}}})",
                                              "p.json");
  EXPECT_TRUE(profile.dynamic_tiling_race);
  EXPECT_FALSE(profile.tuning_on_real_outputs);
  EXPECT_TRUE(profile.rules(KernelKind::mlir_auto_fallback)->has_tuned);
  EXPECT_TRUE(profile.sources.empty());
}

TEST(RuntimeProfile, MoreRoads) {
  const std::string start = R"({"name": "a", "kernels": {"mlir": {"fallback": "copy", "more_roads": )";
  const RuntimeProfile profile = read_profile(start + R"({"set": "rebind_set"}}}})", "p.json");
  EXPECT_THAT(profile.rules(KernelKind::mlir)->more_roads,
              ::testing::ElementsAre(std::pair<std::string, Delivery>("set", Delivery::rebind_set)));
  EXPECT_THAT(message_of(start + R"({"tuned": "copy"}}}})"), HasSubstr("a new road name"));
  EXPECT_THAT(message_of(start + R"({"set": "rebind_sett"}}}})"), HasSubstr("did you mean rebind_set?"));
  EXPECT_THAT(message_of(start + "3}}}"), HasSubstr("an object of road name and delivery"));
}

TEST(RuntimeProfile, UnknownKeysNameTheNearestOne) {
  EXPECT_EQ(message_of("{\"name\": \"a\",\n  \"behavior\": {}}"),
            "p.json:2:3: expected a key of a runtime profile, found \"behavior\"; did you mean behaviour?");
  EXPECT_THAT(message_of(R"({"name": "a", "behaviour": {"dynamic_tiling_rase": true}})"),
              HasSubstr("did you mean dynamic_tiling_race?"));
  EXPECT_THAT(message_of(R"({"name": "a", "kernels": {"mlir_autofallback": {}}})"),
              HasSubstr("did you mean mlir_auto_fallback?"));
  EXPECT_THAT(message_of(R"({"name": "a", "kernels": {"mlir": {"fallback": "rebind-set"}}})"),
              HasSubstr("did you mean rebind_set?"));
  EXPECT_THAT(message_of(R"({"name": "a", "kernels": {"mlir": {"fallback": "xxxxxxxxxxxx"}}})"),
              HasSubstr("known: kernel_write, copy"));
}

TEST(RuntimeProfile, WrongTypesAndBrokenTextAreLocated) {
  EXPECT_THAT(message_of("{\"name\": \"a\",\n\"hypothetical\": 1}"),
              HasSubstr("p.json:2:1: expected true or false for \"hypothetical\", found 1"));
  EXPECT_THAT(message_of("{}"), HasSubstr("expected a \"name\""));
  EXPECT_THAT(message_of(""), HasSubstr("an empty file"));
  EXPECT_THAT(message_of("{\"name\": \n oops}"), HasSubstr("p.json:2:"));
  EXPECT_THAT(message_of("[1]"), HasSubstr("expected an object, found [1]"));
  EXPECT_THAT(message_of(R"({"name": "a", "name": "b"})"), HasSubstr("\"name\" twice"));
  EXPECT_THAT(message_of(R"({"name": "a", "kernels": {"import_fx": {"tuned": false}}})"),
              HasSubstr("at least one road"));
  EXPECT_THAT(message_of(R"({"name": "a", "aliases": [3]})"), HasSubstr("strings in \"aliases\""));
  EXPECT_THAT(message_of(R"({"name": "a", "behaviour": {"dynamic_tiling_race": "yes"}})"),
              HasSubstr("\"yes\""));
}

TEST(RuntimeProfile, HostileTextIsBounded) {
  EXPECT_THAT(message_of(std::string(100000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(message_of(std::string(3 << 20, ' ')), HasSubstr("at most 1 MiB"));
  EXPECT_THAT(message_of("{\"name\": \"\xff\"}"), HasSubstr("expected JSON"));
}

TEST(RuntimeProfile, RequireNamesTheNearestProfile) {
  try {
    require_profile("torch_npu-26.0");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean torch_npu-26.0.0?"));
  }
}

TEST(NearName, DistanceCountsEdits) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(nearest_name("bufer", {"buffer", "other"}), "buffer");
  EXPECT_EQ(nearest_name("zzz", {"buffer"}), "");
}

TEST(RuntimeProfile, ANumberOutOfRangeIsAnInputError) {
  EXPECT_THROW(read_profile("2e22220", "p.json"), InputError);
  EXPECT_THROW(read_profile("{\"name\": 1e400}", "p.json"), InputError);
}

}  // namespace
}  // namespace bufferproof::model
