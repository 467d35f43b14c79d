#include "checker/certify.hpp"

#include <fmt/format.h>

namespace bufferproof::checker {
namespace {

std::vector<std::string> texts(const std::vector<model::SymExpr>& expressions) {
  std::vector<std::string> out;
  for (const model::SymExpr& expr : expressions) out.push_back(expr.str());
  return out;
}

/// A one-axis set is the interval of its variable.
Window window_of(const Access& access) {
  Window out;
  out.everything = access.spans_storage;
  if (access.spans_storage) return out;
  if (access.whole && access.layout) {
    out.sizes = texts(access.layout->sizes);
    out.strides = texts(access.layout->strides);
    out.offset = access.layout->offset.str();
  } else if (access.variables.size() == 1) {
    const model::BoundVariable& x = access.variables[0];
    out.sizes = {(x.hi - x.lo).str()};
    out.strides = {"1"};
    out.offset = (access.address - model::SymExpr::symbol(x.name) + x.lo).str();
  }
  return out;
}

std::string shown(const World& world, const model::Name& writer) {
  auto found = world.writers.find(writer.str());
  return found == world.writers.end() ? writer.str() : found->second.first;
}

Store store_of(const World& world, const Event& event) {
  return {shown(world, event.writer), event.access.place.step, window_of(event.access)};
}

}  // namespace

Proof covered(const World& world, const Read& read, const Event& cover,
              const std::vector<const Event*>& later) {
  Proof out;
  out.rule = read.from.kind == model::From::Kind::intended ? "C2, C3" : "C2";
  out.obligation = fmt::format("{} reads {} at {}", read.reader.str(), read.buffer, read.where.str());
  out.method = "covered";
  out.step = read.access.place.at_end ? INT32_MAX : read.access.place.step;
  out.need = window_of(read.access);
  // A read of the whole storage is the window of the storage, which only "everything" covers.
  out.cover = store_of(world, cover);
  for (const Event* event : later) out.later.push_back(store_of(world, *event));
  if (read.from.kind == model::From::Kind::intended) out.meant = out.cover.writer;
  return out;
}

Proof solved(const Question& question, std::string smtlib) {
  Proof out;
  out.rule = question.rule;
  out.obligation = fmt::format("{} of {} by {} at {}", name(question.kind), question.buffer,
                               question.reader.str(), question.where.str());
  out.method = "solver";
  out.smtlib = std::move(smtlib);
  return out;
}

}  // namespace bufferproof::checker
