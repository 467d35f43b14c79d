#include "model/read/kernel_bodies.hpp"

#include <algorithm>
#include <memory>

#include "model/read/fx/reader.hpp"
#include "model/read/torch_dialect/reader.hpp"

namespace bufferproof::model {
namespace {

using Body = std::shared_ptr<const TensorFunction>;

class KernelReader {
 public:
  KernelReader(Program& program, KernelDef& kernel) : program_(program), kernel_(kernel) {}

  void read(const TracedGraphs& graphs) {
    if (kernel_.text.find("func.func") != std::string::npos)
      kernel_.body = attempt([&] { return read_kernel_text(kernel_.text, kernel_.text_where); });
    if (!kernel_.docstring.empty())
      kernel_.fx_body = attempt([&] { return read_fx(kernel_.docstring, kernel_.where); });
    const auto graph = graphs.find(kernel_.traced_graph_hash);
    if (kernel_.fx_body || graph == graphs.end()) return;
    const SourceLocation start{std::make_shared<const std::string>(graph->second.file), 1, 1};
    FxOptions options;
    if (kernel_.body) options.parameter_types = kernel_.body->parameter_types();
    kernel_.fx_body = attempt([&] { return read_fx(graph->second.text, start, options); });
  }

 private:
  template <typename Read>
  Body attempt(Read&& read) {
    try {
      return choose(read());
    } catch (const InputError& error) {
      kernel_.body_unsupported = error.what();
      return nullptr;
    }
  }

  /// The function of the kernel's name, or the only one: its name may be generic.
  Body choose(const std::vector<BodyText>& texts) {
    auto found =
        std::find_if(texts.begin(), texts.end(), [&](const BodyText& t) { return t.name == kernel_.name; });
    if (found == texts.end() && texts.size() == 1) found = texts.begin();
    if (found == texts.end()) {
      kernel_.body_unsupported = kernel_.where.str() + ": " + std::to_string(texts.size()) +
                                 " functions, none named " + kernel_.name;
      return nullptr;
    }
    for (const BodyNote& note : found->notes) risk(note);
    if (found->function) return std::make_shared<const TensorFunction>(*found->function);
    if (found->unsupported)
      kernel_.body_unsupported = found->unsupported->where.str() + ": " + found->unsupported->what;
    return nullptr;
  }

  void risk(const BodyNote& note) {
    if (note.kind == BodyNote::Kind::uninitialised_constant)
      program_.risks.push_back({"B5", kernel_.name + ": " + note.message, note.where});
    if (note.kind == BodyNote::Kind::truncation_to_same_type)
      program_.risks.push_back(
          {"cast",
           kernel_.name + ": " + note.message + "; no compiler accepts it, so this kernel always falls back",
           note.where});
  }

  Program& program_;
  KernelDef& kernel_;
};

}  // namespace

void read_kernel_bodies(Program& program, const TracedGraphs& graphs) {
  for (KernelDef& kernel : program.kernels)
    if (kernel.kind != KernelKind::cpp && kernel.kind != KernelKind::triton)
      KernelReader(program, kernel).read(graphs);
}

}  // namespace bufferproof::model
