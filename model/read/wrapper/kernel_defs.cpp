#include "model/read/wrapper/kernel_defs.hpp"

#include <array>

namespace bufferproof::model::wrapper {
namespace {

using python::Expr;
using python::ExprKind;
using python::Stmt;
using python::StmtKind;

struct KindName {
  std::string_view method;
  KernelKind kind;
};
constexpr std::array<KindName, 12> kKinds = {{{"cpp", KernelKind::cpp},
                                              {"cpp_pybinding", KernelKind::cpp},
                                              {"triton", KernelKind::triton},
                                              {"mlir_auto_fallback", KernelKind::mlir_auto_fallback},
                                              {"import_fx", KernelKind::import_fx},
                                              {"akg_auto_fallback", KernelKind::akg_auto_fallback},
                                              {"mlir", KernelKind::mlir},
                                              {"cuda", KernelKind::cuda},
                                              {"rocm", KernelKind::rocm},
                                              {"halide", KernelKind::halide},
                                              {"metal", KernelKind::other},
                                              {"pallas", KernelKind::other}}};

/// The value of a dictionary's string key; null if it has none.
const Expr* dict_value(const Expr& dict, std::string_view key) {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2)
    if (dict.items[i] && dict.items[i]->kind == ExprKind::string &&
        python::string_value(*dict.items[i]) == key)
      return dict.items[i + 1];
  return nullptr;
}

std::optional<std::int64_t> integer_value(const Expr* expr) {
  return expr && expr->kind == ExprKind::integer ? expr->value : std::nullopt;
}

/// kernel_meta (inductor-formats.md 2.2).
void read_meta(KernelDef& kernel, const Expr& meta) {
  kernel.num_outputs = integer_value(dict_value(meta, "num_outputs"));
  if (const Expr* indices = dict_value(meta, "mutated_indices"))
    for (const Expr* index : indices->items)
      if (const auto value = integer_value(index)) kernel.mutated_indices.push_back(*value);
  const Expr* dynamic = dict_value(meta, "dynamic");
  kernel.dynamic = dynamic && dynamic->kind == ExprKind::constant && dynamic->text == "True";
  kernel.num_call_functions = integer_value(dict_value(meta, "num_call_functions"));
  const Expr* hash = dict_value(meta, "traced_graph_hash");
  if (hash && hash->kind == ExprKind::string) kernel.traced_graph_hash = python::string_value(*hash);
}

/// Element types of `['const float*', 'float*', 'const int64_t']`, put over what the text told.
void apply_type_list(KernelDef& kernel, const Expr& types) {
  std::string signature = "extern \"C\" void kernel(";
  for (std::size_t i = 0; i < types.items.size(); ++i) {
    if (types.items[i]->kind != ExprKind::string) return;
    signature += (i > 0 ? ", " : "") + python::string_value(*types.items[i]) + " arg" + std::to_string(i);
  }
  auto parameters = cpp_parameters(signature + ")");
  if (!parameters) return;
  const bool named = kernel.parameters.size() == parameters->size();
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    if (!named) continue;
    Parameter& typed = (*parameters)[i];
    const Parameter& from_text = kernel.parameters[i];
    typed.name = from_text.name;
    if (typed.role == Role::output && from_text.role == Role::in_out) typed.role = Role::in_out;
  }
  kernel.parameters = std::move(*parameters);
}

/// HalideMeta(argtypes=[HalideInputSpec(dtype='float', name='in_ptr0', ...), ...])
void read_halide(KernelDef& kernel, const Expr& expr) {
  if (expr.kind == ExprKind::call && expr.items[0]->text == "HalideInputSpec") {
    Parameter parameter;
    parameter.role = Role::scalar;
    for (const Expr* argument : expr.items.subspan(1)) {
      if (argument->kind != ExprKind::keyword || argument->text != "name") continue;
      if (argument->items[0]->kind == ExprKind::string)
        parameter.name = python::string_value(*argument->items[0]);
      parameter.role = role_of_name(parameter.name).value_or(Role::scalar);
    }
    kernel.parameters.push_back(std::move(parameter));
    return;
  }
  for (const Expr* item : expr.items)
    if (item) read_halide(kernel, *item);
}

void read_parameters(KernelDef& kernel, const Expr& call) {
  std::optional<std::vector<Parameter>> parameters;
  switch (kernel.kind) {
    case KernelKind::cpp:
    case KernelKind::cuda:
    case KernelKind::rocm:
      parameters = cpp_parameters(kernel.text);
      break;
    case KernelKind::triton:
      parameters = triton_parameters(kernel.text);
      break;
    case KernelKind::halide:
      read_halide(kernel, call);
      break;
    default:
      break;
  }
  if (parameters) kernel.parameters = std::move(*parameters);
  if (kernel.kind == KernelKind::cpp && call.items.size() > 1 && call.items[1]->kind == ExprKind::list)
    apply_type_list(kernel, *call.items[1]);
}

/// The embedded text is the longest positional string; others are names and options.
const Expr* text_argument(const Expr& call, KernelKind kind) {
  const Expr* text = nullptr;
  for (const Expr* argument : call.items.subspan(1)) {
    const bool longer =
        argument->kind == ExprKind::string && (!text || argument->text.size() > text->text.size());
    if (longer) text = argument;
  }
  return kind == KernelKind::import_fx ? nullptr : text;
}

bool is_async_compile(const Expr& callee) {
  return callee.kind == ExprKind::attribute &&
         python::dotted_name(*callee.items[0]).find("async_compile") != std::string::npos;
}

/// Counts `k.store(...)` below a node: a DVM kernel has as many outputs.
std::int64_t count_stores(const Expr* expr) {
  if (!expr) return 0;
  const bool store = expr->kind == ExprKind::call && expr->items[0]->kind == ExprKind::attribute &&
                     expr->items[0]->text == "store";
  std::int64_t count = store ? 1 : 0;
  for (const Expr* item : expr->items) count += count_stores(item);
  return count;
}

}  // namespace

std::optional<KernelDef> kernel_of_call(std::string_view target, const Expr& value, const Expr* docstring,
                                        const python::Module& module) {
  if (value.kind != ExprKind::call || !is_async_compile(*value.items[0])) return std::nullopt;
  KernelDef kernel;
  kernel.name = target;
  kernel.where = module.locate(value.at);
  for (const KindName& known : kKinds)
    if (known.method == value.items[0]->text) kernel.kind = known.kind;
  if (const Expr* text = text_argument(value, kernel.kind)) {
    kernel.text = python::string_value(*text);
    kernel.text_where = module.locate(python::string_begin(*text));
  }
  for (const Expr* argument : value.items.subspan(1))
    if (argument->kind == ExprKind::keyword && argument->text == "kernel_meta")
      read_meta(kernel, *argument->items[0]);
  if (docstring && kernel.kind == KernelKind::import_fx) kernel.docstring = python::string_value(*docstring);
  read_parameters(kernel, value);
  return kernel;
}

std::optional<KernelDef> kernel_of_function(const Stmt& def, const python::Module& module) {
  KernelDef kernel;
  kernel.name = def.text;
  kernel.where = module.locate(def.at);
  for (const Expr* decorator : def.decorators) {
    const Expr& name = decorator->kind == ExprKind::call ? *decorator->items[0] : *decorator;
    const std::string dotted = python::dotted_name(name);
    if (dotted == "triton.jit") kernel.kind = KernelKind::triton;
    if (dotted == "dvm.kernel") kernel.kind = KernelKind::dvm;
  }
  if (kernel.kind == KernelKind::triton) {
    kernel.parameters = triton_parameters(def);
  } else if (kernel.kind == KernelKind::dvm) {
    std::int64_t stores = 0;
    for (const Stmt* statement : def.body) stores += count_stores(statement->value);
    kernel.num_outputs = stores;
  } else {
    return std::nullopt;
  }
  return kernel;
}

}  // namespace bufferproof::model::wrapper
