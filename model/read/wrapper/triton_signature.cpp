// Roles of a Triton kernel's parameters from its function header and its metadata (inductor-formats.md 1.3).
//
// Only the header and two dictionaries are tokenized, so that thousands of kernels cost little. Where the
// parameters' names are a user's own, the body is parsed for what it loads and stores.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "model/read/python/parser.hpp"
#include "model/read/wrapper/kernel_defs.hpp"

namespace bufferproof::model::wrapper {
namespace {

using python::SourceText;
using python::Token;
using python::Tokenizer;
using python::TokenKind;

bool begins(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

SourceText piece(std::string_view text) {
  return {std::make_shared<const std::string>("<kernel>"), std::string(text), {}};
}

/// The text from `begin` on is tokenized until the bracket that opens first is closed; `visit` gets each
/// token inside with the depth it stands at.
template <typename Visit>
void inside_brackets(std::string_view text, Visit visit) {
  const SourceText source = piece(text.substr(0, 1U << 16));
  Tokenizer tokens(source);
  int depth = 0;
  try {
    for (Token token = tokens.next(); token.kind != TokenKind::end; token = tokens.next()) {
      const bool op = token.kind == TokenKind::op;
      if (op && (token.text == ")" || token.text == "]" || token.text == "}") && --depth == 0) return;
      if (depth > 0) visit(token, depth);
      if (op && (token.text == "(" || token.text == "[" || token.text == "{")) ++depth;
    }
  } catch (const InputError&) {
    // Cut-off text: what was read before is all there is.
  }
}

struct HeaderParameter {
  std::string name;
  bool constexpr_ = false;
};

std::vector<HeaderParameter> header(std::string_view text) {
  std::vector<HeaderParameter> parameters;
  bool expect_name = true;
  inside_brackets(text, [&](const Token& token, int depth) {
    if (depth == 1 && token.text == ",") {
      expect_name = true;
    } else if (expect_name && token.kind == TokenKind::name) {
      parameters.push_back({std::string(token.text), false});
      expect_name = false;
    } else if (!parameters.empty() && token.text == "constexpr") {
      parameters.back().constexpr_ = true;
    }
  });
  return parameters;
}

std::string unquoted(std::string_view text) {
  const std::size_t open = text.find_first_of("'\"");
  return open == std::string_view::npos || text.size() < open + 2
             ? std::string(text)
             : std::string(text.substr(open + 1, text.size() - open - 2));
}

/// `'mutated_arg_names': ['in_out_ptr0', ...]`
std::set<std::string> mutated_names(std::string_view text) {
  std::set<std::string> names;
  const std::size_t at = text.find("'mutated_arg_names'");
  if (at == std::string_view::npos) return names;
  inside_brackets(text.substr(at + 19), [&](const Token& token, int) {
    if (token.kind == TokenKind::string) names.insert(unquoted(token.text));
  });
  return names;
}

std::optional<DType> dtype_of_signature(std::string_view text) {
  if (begins(text, "*")) text.remove_prefix(1);
  if (begins(text, "fp8")) return std::nullopt;
  if (begins(text, "fp")) return parse_dtype("f" + std::string(text.substr(2)));
  return parse_dtype(text);
}

/// `'signature': {'in_ptr0': '*fp32', ...}` or `{0: '*fp32', ...}`; keyed by name or position.
std::map<std::string, std::string> signature(std::string_view text) {
  std::map<std::string, std::string> types;
  const std::size_t at = text.find("'signature'");
  if (at == std::string_view::npos) return types;
  std::string key;
  inside_brackets(text.substr(at + 11), [&](const Token& token, int depth) {
    if (depth != 1 || (token.kind != TokenKind::string && token.kind != TokenKind::number)) return;
    if (key.empty()) {
      key = unquoted(token.text);
    } else {
      types.emplace(key, unquoted(token.text));
      key.clear();
    }
  });
  return types;
}

/// Names in the first argument of calls of tl.store / tl.atomic_* and tl.load anywhere below a node.
struct Accesses {
  std::set<std::string> loaded;
  std::set<std::string> stored;

  static void names(const python::Expr* expr, std::set<std::string>& into) {
    if (!expr) return;
    if (expr->kind == python::ExprKind::name) into.insert(std::string(expr->text));
    for (const python::Expr* item : expr->items) names(item, into);
  }
  void visit(const python::Expr* expr) {
    if (!expr) return;
    if (expr->kind == python::ExprKind::call && expr->items.size() > 1) {
      const std::string_view function = expr->items[0]->text;
      if (function == "load") names(expr->items[1], loaded);
      if (function == "store" || begins(function, "atomic_")) names(expr->items[1], stored);
      if (begins(function, "atomic_")) names(expr->items[1], loaded);
    }
    for (const python::Expr* item : expr->items) visit(item);
  }
  void visit(std::span<const python::Stmt* const> body) {
    for (const python::Stmt* statement : body) {
      visit(statement->value);
      visit(statement->body);
      visit(statement->orelse);
    }
  }
};

/// Roles by what the body does, for kernels people wrote; nullopt for a pointer that is neither loaded nor
/// stored.
std::optional<Role> role_of_accesses(const Accesses& accesses, const std::string& name) {
  const bool loaded = accesses.loaded.count(name) > 0;
  if (accesses.stored.count(name) > 0) return loaded ? Role::in_out : Role::output;
  return loaded ? std::optional(Role::input) : std::nullopt;
}

bool is_scalar_name(std::string_view name) {
  return name.size() >= 5 && name.substr(name.size() - 5) == "numel";
}

Accesses accesses_of(std::string_view def) {
  Accesses accesses;
  try {
    accesses.visit(python::parse_module(piece(def)).body);
  } catch (const InputError&) {
    // Not readable: no role is told.
  }
  return accesses;
}

Role role_of(const std::string& name, const std::string* type, const std::set<std::string>& mutated,
             const std::function<const Accesses&()>& accesses) {
  if (type && !begins(*type, "*")) return Role::scalar;  // a tensor's number, whatever the name says
  if (const auto role = role_of_name(name)) return *role;
  if (mutated.count(name)) return Role::in_out;
  return role_of_accesses(accesses(), name).value_or(type ? Role::input : Role::scalar);
}

/// Parameters without the constexpr ones. `body` is asked only when a name tells no role.
std::vector<Parameter> with_roles(const std::vector<HeaderParameter>& header,
                                  const std::set<std::string>& mutated,
                                  const std::map<std::string, std::string>& types,
                                  const std::function<Accesses()>& body) {
  std::optional<Accesses> found;
  const auto accesses = [&]() -> const Accesses& { return found ? *found : found.emplace(body()); };
  std::vector<Parameter> parameters;
  for (const HeaderParameter& from : header) {
    if (from.constexpr_) continue;
    auto type = types.find(from.name);
    if (type == types.end()) type = types.find(std::to_string(parameters.size()));
    const std::string* spelled = type == types.end() ? nullptr : &type->second;
    Parameter parameter;
    parameter.name = from.name;
    if (spelled) parameter.dtype = dtype_of_signature(*spelled);
    parameter.role = role_of(from.name, spelled, mutated, accesses);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace

std::optional<Role> role_of_name(std::string_view name) {
  if (begins(name, "in_out_ptr")) return Role::in_out;
  if (begins(name, "in_ptr") || begins(name, "arg_")) return Role::input;
  if (begins(name, "out_ptr")) return Role::output;
  if (begins(name, "ws_ptr") || begins(name, "sem_ptr")) return Role::workspace;
  return is_scalar_name(name) ? std::optional(Role::scalar) : std::nullopt;
}

std::optional<std::vector<Parameter>> triton_parameters(const std::string& text) {
  const std::size_t jit = text.rfind("@triton.jit");
  const std::size_t def = text.find("def ", jit == std::string::npos ? 0 : jit);
  if (def == std::string::npos) return std::nullopt;
  const std::string_view code = std::string_view(text).substr(def);
  return with_roles(header(code), mutated_names(text), signature(text), [&] { return accesses_of(code); });
}

std::vector<Parameter> triton_parameters(const python::Stmt& def) {
  std::vector<HeaderParameter> parameters;
  for (const python::Param& param : def.params) {
    const std::string annotation = param.annotation ? python::dotted_name(*param.annotation) : "";
    parameters.push_back({std::string(param.name), annotation.find("constexpr") != std::string::npos});
  }
  return with_roles(parameters, {}, {}, [&] {
    Accesses accesses;
    accesses.visit(def.body);
    return accesses;
  });
}

}  // namespace bufferproof::model::wrapper
