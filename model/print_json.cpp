// The JSON form of a program. Tested by tests/model/print_test.cpp.
#include <nlohmann/json.hpp>

#include "model/print.hpp"

namespace bufferproof::model {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json texts(const std::vector<T>& values) {
  Json out = Json::array();
  for (const T& value : values) out.push_back(value.str());
  return out;
}

Json to_json(const Layout& layout) {
  return {
      {"sizes", texts(layout.sizes)}, {"strides", texts(layout.strides)}, {"offset", layout.offset.str()}};
}

void add(Json& out, const char* key, const std::optional<Layout>& layout) {
  if (layout) out[key] = to_json(*layout);
}

void add(Json& out, const std::optional<DType>& dtype) {
  if (dtype) out["dtype"] = name(*dtype);
}

Json to_json(const Variant& variant) {
  Json out{{"name", variant.name}, {"fallback", variant.fallback}, {"accesses", Json::array()}};
  for (const Clause& clause : variant.clauses) out["accesses"].push_back(print_clause(clause));
  for (const Rebind& rebind : variant.rebinds) {
    Json entry{{"handle", rebind.handle.str()}};
    add(entry, "layout", rebind.result);
    if (!rebind.alias_of.empty()) entry["view_of"] = rebind.alias_of.str();
    out["rebinds"].push_back(entry);
  }
  if (!variant.raises.empty()) out["raises"] = variant.raises;
  return out;
}

Json to_json(const Block& block);

struct ToJson {
  Json operator()(const Alloc& s) const {
    static constexpr const char* kInit[] = {"uninit", "zero", "input", "filled"};
    Json out{{"step", "alloc"}, {"name", s.name.str()}, {"init", kInit[static_cast<int>(s.init)]}};
    add(out, s.dtype);
    add(out, "layout", s.layout);
    return out;
  }
  Json operator()(const View& s) const {
    Json out{{"step", "view"}, {"name", s.name.str()}, {"base", s.base.str()}};
    add(out, s.dtype);
    add(out, "layout", s.layout);
    if (s.absolute_offset) out["absolute_offset"] = true;
    if (s.unknown_layout) out["unknown_layout"] = true;
    if (s.pool_slice) out["pool_slice"] = true;
    return out;
  }
  Json operator()(const Bind& s) const {
    static constexpr const char* kKinds[] = {"alias", "new_handle", "take", "rename", "reuse"};
    return {{"step", "bind"},
            {"kind", kKinds[static_cast<int>(s.kind)]},
            {"name", s.name.str()},
            {"source", s.source.str()}};
  }
  Json operator()(const Point& s) const {
    return {{"step", "point"}, {"handle", s.handle.str()}, {"target", s.target.str()}};
  }
  Json operator()(const Launch& s) const {
    Json out{{"step", "launch"}, {"kernel", s.kernel.str()}, {"stream", s.stream.str()}};
    for (const Argument& argument : s.arguments)
      out["arguments"].push_back(argument.scalar ? argument.scalar->str() : argument.handle.str());
    if (!s.outputs.empty()) out["outputs"] = texts(s.outputs);
    for (const Variant& variant : s.variants) out["variants"].push_back(to_json(variant));
    return out;
  }
  Json operator()(const Copy& s) const {
    return {{"step", "copy"},
            {"source", print_set(s.source, s.source_set)},
            {"destination", print_set(s.destination, s.destination_set)},
            {"stream", s.stream.str()}};
  }
  Json operator()(const Free& s) const { return {{"step", "free"}, {"names", texts(s.names)}}; }
  Json operator()(const Signal& s) const {
    return {{"step", "signal"}, {"event", s.event.str()}, {"stream", s.stream.str()}};
  }
  Json operator()(const Wait& s) const {
    return {{"step", "wait"}, {"event", s.event.str()}, {"stream", s.stream.str()}};
  }
  Json operator()(const HostSync& s) const { return {{"step", "hostsync"}, {"stream", s.stream.str()}}; }
  Json operator()(const Branch& s) const {
    return {{"step", "branch"},
            {"condition", s.condition.str()},
            {"then", to_json(s.then_block)},
            {"else", to_json(s.else_block)}};
  }
  Json operator()(const Loop& s) const {
    return {{"step", "loop"}, {"variable", s.variable}, {"count", s.count.str()}, {"body", to_json(s.body)}};
  }
  Json operator()(const Return& s) const {
    Json out{{"step", "return"}, {"items", Json::array()}};
    for (const Return::Item& item : s.items) out["items"].push_back(print_set(item.name, item.set));
    return out;
  }
  Json operator()(const AssertLayout& s) const {
    Json out{{"step", "assert"}, {"name", s.name.str()}, {"layout", to_json(s.layout)}};
    add(out, s.dtype);
    return out;
  }
  Json operator()(const Unsupported& s) const {
    return {{"step", "unsupported"}, {"what", s.what}, {"touched", texts(s.touched)}};
  }
};

Json to_json(const Block& block) {
  Json out = Json::array();
  for (const Step& step : block) {
    Json entry = std::visit(ToJson{}, step.node);
    entry["line"] = step.where.line;
    out.push_back(std::move(entry));
  }
  return out;
}

Json to_json(const Symbol& symbol) {
  Json out{{"name", symbol.name}, {"lo", symbol.lo}};
  out["hi"] = symbol.hi ? Json(*symbol.hi) : Json();
  if (symbol.value) out["value"] = *symbol.value;
  return out;
}

Json to_json(const KernelDef& kernel) {
  Json out{{"name", kernel.name}, {"line", kernel.where.line}, {"dynamic", kernel.dynamic}};
  if (kernel.num_outputs) out["num_outputs"] = *kernel.num_outputs;
  if (!kernel.body_unsupported.empty()) out["body_unsupported"] = kernel.body_unsupported;
  return out;
}

}  // namespace

std::string print_json(const Program& program) {
  Json out{{"dialect", program.dialect == Dialect::bufprog ? "bufprog" : "wrapper"}, {"file", program.file}};
  out["symbols"] = Json::array();
  for (const Symbol& symbol : program.symbols) out["symbols"].push_back(to_json(symbol));
  out["kernels"] = Json::array();
  for (const KernelDef& kernel : program.kernels) out["kernels"].push_back(to_json(kernel));
  out["steps"] = to_json(program.body);
  out["assumptions"] = program.assumptions;
  out["risks"] = Json::array();
  for (const Risk& risk : program.risks)
    out["risks"].push_back({{"label", risk.label}, {"message", risk.message}, {"line", risk.where.line}});
  // Text of a hostile file may be no UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bufferproof::model
