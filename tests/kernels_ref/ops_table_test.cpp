// The table users read (kernels_ref/ops/README.md) names every registered op, and nothing that is not one.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {
namespace {

std::set<std::string> named_in_table() {
  std::ifstream file(SOURCE_DIR "/kernels_ref/ops/README.md");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::string first = line.substr(0, line.find('|', 1));
    const std::regex word("`([a-z0-9_]+)`");
    for (std::sregex_iterator it(first.begin(), first.end(), word), end; it != end; ++it)
      names.insert((*it)[1]);
  }
  return names;
}

TEST(OpsTable, NamesEveryOpOnce) {
  const std::set<std::string> named = named_in_table();
  const std::set<std::string> elsewhere{"convolution", "matmul", "bmm", "addmm", "baddbmm"};
  for (const auto& [name, entry] : OpRegistry::builtin().entries())
    EXPECT_TRUE(named.contains(std::string(name)) || elsewhere.contains(std::string(name))) << name;
  for (const std::string& name : named) EXPECT_NE(OpRegistry::builtin().find(name), nullptr) << name;
}

}  // namespace
}  // namespace bufferproof::kernels
