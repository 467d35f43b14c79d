#include "cli/runtimes.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "model/near_name.hpp"

namespace bufferproof::cli {
namespace {

model::RuntimeProfile named_profile(const std::string& argument) {
  if (const model::RuntimeProfile* shipped = model::find_profile(argument)) return *shipped;
  std::error_code ignored;
  if (std::filesystem::exists(argument, ignored)) return model::read_profile(read_file(argument), argument);
  std::vector<std::string> names;
  for (const model::RuntimeProfile& profile : model::shipped_profiles()) names.push_back(profile.name);
  fail_option("--runtime",
              "no profile and no file is named '" + argument + "'; " + model::name_hint(argument, names));
}

}  // namespace

std::vector<model::RuntimeProfile> choose_profiles(const std::string& argument) {
  if (!argument.empty() && argument != "all") return {named_profile(argument)};
  std::vector<model::RuntimeProfile> out;
  for (const model::RuntimeProfile& profile : model::shipped_profiles())
    if (!profile.hypothetical || argument == "all") out.push_back(profile);
  return out;
}

model::RuntimeProfile choose_profile(const std::string& argument) {
  if (argument == "all") fail_option("--runtime", "one run has one runtime; name a single profile");
  return argument.empty() ? model::shipped_profiles().front() : named_profile(argument);
}

}  // namespace bufferproof::cli
