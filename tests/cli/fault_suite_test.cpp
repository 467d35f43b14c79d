// Faults planted into every kernel of several wrappers: `--why` names the right storage, kernel and line of
// each. What is right is read off the wrapper's text here, line by line, without the program's own readers.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "examples/resnet/network.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

#include <nlohmann/json.hpp>

namespace bufferproof::cli {
namespace {

using nlohmann::json;

/// A kernel call of a wrapper with one output.
struct CallSite {
  std::string kernel;
  std::string output;
  int line = 0;
  int allocated = 0;                 ///< the line the output's memory comes from
  std::vector<std::string> extents;  ///< of the output, as written
};

/// Calls of a wrapper's text, and what it returns.
struct Text {
  std::vector<CallSite> calls;
  std::string returned;
};

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    if (!part.empty()) out.push_back(part);
  }
  return out;
}

Text read_text(const std::string& text) {
  static const std::regex kAlloc(R"(^    (\w+) = empty_strided\(\(([^)]*)\))");
  static const std::regex kRename(R"(^    (\w+) = (?:reinterpret_tensor\()?(\w+)[;,].*# reuse)");
  static const std::regex kCall(R"(^    (\w+)\.run\(.*, (\w+), stream=\w+\))");
  static const std::regex kExtern(R"(^    (\w+) = (?:extern_kernels|torch\.ops)\.)");
  static const std::regex kItem(R"(^    (\w+) = (\w+)\[\d\]$)");
  static const std::regex kReturn(R"(^    return \((\w+),)");
  Text out;
  std::map<std::string, CallSite> memory;
  std::istringstream in(text);
  int line = 0;
  for (std::string row; std::getline(in, row);) {
    ++line;
    std::smatch m;
    if (std::regex_search(row, m, kAlloc)) {
      memory[m[1]] = {"", "", 0, line, comma_separated(m[2])};
    } else if (std::regex_search(row, m, kExtern)) {
      memory[m[1]] = {"", "", 0, line, {}};
    } else if (std::regex_search(row, m, kRename) || std::regex_search(row, m, kItem)) {
      memory[m[1]] = memory.at(m[2]);
    } else if (std::regex_search(row, m, kCall)) {
      CallSite call = memory.at(m[2]);
      call.kernel = m[1];
      call.output = m[2];
      call.line = line;
      out.calls.push_back(call);
    } else if (std::regex_search(row, m, kReturn)) {
      out.returned = m[1];
    }
  }
  return out;
}

class FaultSuite : public ::testing::Test {
 protected:
  /// The answer about the returned element [0, 0, ...]; and that a finding was reported.
  json why(const std::string& file, const std::vector<std::string>& options, const std::string& question) {
    std::vector<std::string> arguments{"simulate", file, "--why", question, "--format", "json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const CliResult result = call(arguments);
    EXPECT_EQ(result.code, kFindings) << result.err;
    return result.code == kFindings ? json::parse(result.out)["why"][0] : json();
  }

  /// The last link names a call of this kernel, its line, and its output's memory.
  void expect_blamed(const json& why, const std::vector<CallSite>& sites, const std::string& what) {
    ASSERT_TRUE(why.is_object()) << what;
    ASSERT_EQ(why["at_fault"], true) << what;
    const json& last = why["links"].back();
    bool named = false;
    for (const CallSite& site : sites)
      named |= last["due"] == site.kernel && last["due_location"]["line"] == site.line &&
               last["allocation_location"]["line"] == site.allocated;
    EXPECT_TRUE(named) << what << ": " << last.dump();
  }

  /// As written where the text says them: the result of a library call has none.
  static std::vector<std::string> extents(const std::vector<CallSite>& sites) {
    for (const CallSite& site : sites)
      if (!site.extents.empty()) return site.extents;
    return {};
  }

  static std::string inner_axes(const std::vector<CallSite>& sites) {
    std::string out;
    const std::vector<std::string> known = extents(sites);
    for (std::size_t axis = 1; axis < known.size(); ++axis) out += ",0:" + known[axis];
    return out;
  }

  /// Two kernels at a time: one leaves the first image out, the other the second. Each image is explained by
  /// its own fault, however near the other one is.
  int plant_pairs(const std::string& name, const std::string& text, const std::string& zeros) {
    const std::string file = folder_.write(name, text);
    const Text known = read_text(text);
    std::map<std::string, std::vector<CallSite>> kernels;
    for (const CallSite& site : known.calls) kernels[site.kernel].push_back(site);
    int pairs = 0;
    int turn = 0;
    for (const auto& [first, first_sites] : kernels)
      for (const auto& [second, second_sites] : kernels) {
        if (first == second || (kernels.size() > 2 && ++turn % 4 != 0)) continue;
        const std::vector<std::string> options{
            "--runtime=torch_npu-26.0.0", "--fault=" + first + ":0[0:1" + inner_axes(first_sites) + "]",
            "--fault=" + second + ":0[1:2" + inner_axes(second_sites) + "]"};
        const std::string what = name + " " + first + " and " + second;
        expect_blamed(why(file, options, known.returned + "[0" + zeros), first_sites, what);
        expect_blamed(why(file, options, known.returned + "[1" + zeros), second_sites, what);
        ++pairs;
      }
    return pairs;
  }

  /// Every kernel of the wrapper: left out whole, in two parts, and by a fallback that hands nothing over.
  int plant_faults(const std::string& name, const std::string& text, const std::string& zeros,
                   const std::vector<std::string>& sizes = {}) {
    const std::string file = folder_.write(name, text);
    const Text known = read_text(text);
    std::map<std::string, std::vector<CallSite>> kernels;
    for (const CallSite& site : known.calls) kernels[site.kernel].push_back(site);
    int faults = 0;
    for (const auto& [kernel, sites] : kernels) {
      const std::string rest = inner_axes(sites);
      // An element of the result is asked for that rests on the part left out: images are independent.
      std::vector<std::pair<std::string, std::string>> planted{{"--fault=" + kernel + ":0", "[1"},
                                                               {"--fallback=" + kernel + "=drop", "[1"}};
      if (!extents(sites).empty()) {
        planted.emplace_back("--fault=" + kernel + ":0[1:2" + rest + "]", "[1");
        planted.emplace_back("--fault=" + kernel + ":0[0:1" + rest + "]", "[0");
      }
      for (const auto& [fault, image] : planted) {
        std::vector<std::string> options = sizes;
        options.insert(options.end(), {"--runtime=torch_npu-26.0.0", fault});
        expect_blamed(why(file, options, known.returned + image + zeros), sites, name + " " + fault);
        ++faults;
      }
    }
    return faults;
  }
  TemporaryFolder folder_;
};

TEST_F(FaultSuite, ResNet18) {
  int faults = 0;
  faults += plant_faults("fresh.py", examples::emit_resnet({}, {.reuse = false}).text, ",0]");
  faults += plant_faults("reused.py", examples::emit_resnet({}, {}).text, ",0]");
  faults +=
      plant_faults("torch.py", examples::emit_resnet({}, {.text = examples::KernelText::torch}).text, ",0]");
  faults += plant_faults("dynamic.py", examples::emit_resnet({}, {.dynamic = true, .reuse = false}).text,
                         ",0]", {"--size=s0=4"});
  EXPECT_GE(faults, 150);
}

TEST_F(FaultSuite, Stages) {
  int faults = 0;
  for (int stage = 0; stage <= 4; ++stage) {
    examples::NetworkOptions network;
    network.first_stage = network.last_stage = stage;
    const std::string name = "stage" + std::to_string(stage) + ".py";
    faults += plant_faults(name, examples::emit_resnet(network, {}).text, ",0,0,0]");
  }
  EXPECT_GE(faults, 40);
}

TEST_F(FaultSuite, TwoFaultsAtOnce) {
  int pairs = plant_pairs("chain.py", chain_wrapper(), ",2]");
  examples::NetworkOptions network;
  network.image = 32;
  pairs += plant_pairs("fresh.py", examples::emit_resnet(network, {.reuse = false}).text, ",0]");
  EXPECT_GE(pairs, 30);
}

TEST_F(FaultSuite, SmallWrappers) {
  EXPECT_EQ(plant_faults("chain.py", chain_wrapper(), ",2]"), 8);
  EXPECT_EQ(plant_faults("view.py", captured_view_wrapper(), ",2]"), 8);
}

}  // namespace
}  // namespace bufferproof::cli
