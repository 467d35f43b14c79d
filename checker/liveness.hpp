// Where each name stands for the last time: a handle nobody names again can no longer see its storage.
//
// Releasing a name is no use of it. Tested by tests/checker (rebinding with dead views).
#pragma once

#include <map>
#include <string>

#include "model/program.hpp"

namespace bufferproof::checker {

class LastUse {
 public:
  explicit LastUse(const model::Block& block) { visit(block); }
  /// The name is mentioned after the step with this number.
  bool after(const std::string& name, int step) const {
    auto found = last_.find(name);
    return found != last_.end() && found->second > step;
  }

 private:
  void visit(const model::Block& block);
  void visit(const model::Step& step);
  void use(const model::Name& name, int step);

  std::map<std::string, int, std::less<>> last_;
};

}  // namespace bufferproof::checker
