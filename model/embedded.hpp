// Data files that are compiled into the library (model/CMakeLists.txt, bufferproof_embed).
//
// Tested by tests/model/runtime_profile_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace bufferproof::model {

struct EmbeddedFile {
  std::string name;  ///< file name without folders
  std::string text;
};

/// model/data/runtimes/*.json
const std::vector<EmbeddedFile>& embedded_runtimes();
/// model/data/aten_schemas.txt
const std::vector<EmbeddedFile>& embedded_schemas();

}  // namespace bufferproof::model
