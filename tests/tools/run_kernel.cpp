// Runs one kernel body on given tensors: what the comparisons with PyTorch call (tests/torch).
//
// usage: run_kernel FILE                          lists the kernels: name, tab, parameters or why there is no
// body
//        run_kernel FILE KERNEL IN.npz OUT.npz    IN: arrays "0", "1", .. by parameter (0-d for a scalar)
//
// OUT holds per result i the arrays "outI" (the result), "loI" and "hiI" (f64: the proven enclosure). FILE is
// a wrapper, MLIR text (.mlir) or a traced graph (.fx.txt). A wrapper's kernel that has both texts is listed
// twice, its traced graph as "NAME@fx".
#include <fmt/format.h>

#include <cstdio>
#include <deque>

#include "cli/input.hpp"
#include "kernels_ref/io/npz.hpp"
#include "model/read/fx/reader.hpp"
#include "model/read/torch_dialect/reader.hpp"
#include "simulator/body/enclosure.hpp"

namespace {

using namespace bufferproof;

struct Body {
  std::string name;
  std::shared_ptr<const model::TensorFunction> function;
  std::string why_not;
};

std::vector<Body> of_texts(const std::vector<model::BodyText>& texts) {
  std::vector<Body> out;
  for (const model::BodyText& text : texts) {
    Body body{text.name, nullptr, text.unsupported ? text.unsupported->what : ""};
    if (text.function) body.function = std::make_shared<model::TensorFunction>(*text.function);
    out.push_back(std::move(body));
  }
  return out;
}

std::vector<Body> of_wrapper(const std::string& path) {
  std::vector<Body> out;
  for (const model::Program& program : cli::read_programs(path))
    for (const model::KernelDef& kernel : program.kernels) {
      if (kernel.body || !kernel.fx_body) out.push_back({kernel.name, kernel.body, kernel.body_unsupported});
      if (kernel.fx_body) out.push_back({kernel.name + "@fx", kernel.fx_body, ""});
    }
  return out;
}

std::vector<Body> read_bodies(const std::string& path) {
  const model::SourceLocation origin{std::make_shared<const std::string>(path), 1, 1};
  if (path.ends_with(".mlir")) return of_texts(model::read_kernel_text(cli::read_file(path), origin));
  if (path.ends_with(".fx.txt")) return of_texts(model::read_fx(cli::read_file(path), origin));
  return of_wrapper(path);
}

void list(const std::vector<Body>& bodies) {
  for (const Body& body : bodies) {
    std::string line = body.name + "\t";
    if (!body.function) line += "unsupported: " + body.why_not;
    for (std::size_t i = 0; body.function && i < body.function->parameters.size(); ++i) {
      const model::TensorValue& value = body.function->value(body.function->parameters[i]);
      line += (i ? "; " : "") + (value.scalar ? "scalar " + value.name : value.type.str());
    }
    std::puts(line.c_str());
  }
}

simulator::BodyArgument argument(const model::TensorValue& parameter, const kernels::Tensor& tensor) {
  if (!parameter.scalar) return tensor.view();
  if (tensor.dtype() == model::DType::i64) return tensor.elements<std::int64_t>()[0];
  return tensor.elements<double>()[0];
}

void run(const model::TensorFunction& function, const std::string& in, const std::string& out) {
  const std::map<std::string, kernels::Tensor> tensors = kernels::read_tensors(in);
  std::vector<simulator::BodyArgument> arguments;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    arguments.push_back(argument(function.value(function.parameters[i]), tensors.at(std::to_string(i))));
  const std::vector<kernels::Tensor> results = simulator::execute(function, arguments);
  const std::vector<simulator::Enclosure> enclosures = simulator::enclose(function, arguments);
  std::vector<kernels::NamedTensor> named;
  for (std::size_t i = 0; i < results.size(); ++i) {
    named.push_back({fmt::format("out{}", i), results[i].view()});
    named.push_back({fmt::format("lo{}", i), enclosures[i].lo.view()});
    named.push_back({fmt::format("hi{}", i), enclosures[i].hi.view()});
  }
  kernels::write_npz(out, named);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 5) {
    std::fputs("usage: run_kernel FILE [KERNEL IN.npz OUT.npz]\n", stderr);
    return 2;
  }
  const std::vector<Body> bodies = read_bodies(argv[1]);
  if (argc == 2) {
    list(bodies);
    return 0;
  }
  for (const Body& body : bodies) {
    if (body.name != argv[2] || !body.function) continue;
    run(*body.function, argv[3], argv[4]);
    return 0;
  }
  std::fprintf(stderr, "no body of this name: %s\n", argv[2]);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
