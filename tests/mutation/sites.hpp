// Where a program can be mutated: its launches with declared outputs, and who reads what afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/lowering/declared.hpp"
#include "model/program.hpp"

namespace bufferproof::mutation {

/// One declared output of one launch of the outermost block that something reads afterwards.
struct Site {
  std::size_t step = 0;    ///< index into Program::body
  std::size_t output = 0;  ///< index into Launch::outputs
  model::lowering::Declared declared;
};

std::vector<Site> find_sites(const model::Program& program);

model::Launch& launch_at(model::Program& program, std::size_t step);
const model::Launch& launch_at(const model::Program& program, std::size_t step);

/// Puts `to` wherever the launch's roads and arguments name `from`; declared outputs stay.
void retarget(model::Launch& launch, const model::Name& from, const model::Name& to);

/// A buffer that could be handed to the output of `site` although it is still read after the launch: written
/// before the output is allocated, of the same sizes and dtype, not freed before the launch.
std::optional<model::Name> still_needed_twin(const model::Program& program, const Site& site);

/// The step that gives the site's output its memory, if it is a plain allocation of the outermost block.
std::optional<std::size_t> allocation_of(const model::Program& program, const Site& site);

}  // namespace bufferproof::mutation
