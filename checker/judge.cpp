#include "checker/judge.hpp"

#include <map>

#include "checker/address.hpp"
#include "checker/cover.hpp"

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::FindingClass;
using model::From;
using model::Name;
using model::SymExpr;

/// Loop values below 10 print as one digit, so adjacent holes cannot run together.
auto one_digit(const Ranges& ranges) {
  return [&ranges](const SymExpr& hole) {
    const Interval interval = ranges.of(hole);
    return interval.lo && interval.hi && *interval.lo >= 0 && *interval.hi <= 9;
  };
}

class ReadJudge {
 public:
  ReadJudge(const World& world, const Tags& tags, const Read& read)
      : world_(world),
        tags_(tags),
        read_(read),
        access_(expanded(read.access)),
        query_(query_of(access_, world.ranges)) {}

  Judged run() {
    const auto cases = tags_.cases(query_);
    if (!cases) return undecided();
    base_ = instance_condition(access_) && inside_storage();
    unwritten(*cases);
    earlier_life(*cases);
    if (read_.from.kind == From::Kind::intended) {
      intended(*cases);
    } else if (read_.from.kind != From::Kind::any) {
      for (const TagCase& c : *cases) named(c);
    }
    unknowns(*cases);
    return decided_ ? std::move(out_) : undecided();
  }

 private:
  static Judged undecided() {
    Judged out;
    out.decided = false;
    return out;
  }

  Cond inside_storage() const {
    const auto& size = world_.storages[access_.storage].size;
    Cond inside = Cond::le(0, access_.address);
    return size ? inside && Cond::lt(access_.address, *size) : inside;
  }

  void ask(FindingClass kind, const std::string& rule, const Cond& wrong, const std::vector<TagCase>& cases,
           const std::vector<TagCase>& meant = {}) {
    if (wrong.is_false()) return;
    Question q;
    q.kind = kind;
    q.rule = rule;
    q.buffer = read_.buffer;
    q.reader = read_.reader;
    q.where = read_.where;
    q.step = access_.place.at_end ? INT32_MAX : access_.place.step;
    q.wrong = base_ && wrong;
    q.running = access_.running;
    q.element = logical(access_);
    q.storage = access_.storage;
    q.cases = cases;
    q.meant = meant;
    out_.questions.push_back(std::move(q));
  }

  std::optional<Cond> some(const TagCase& c, const NameTest& test, bool accumulate_only = false) {
    auto present = tags_.contributes(c, test, accumulate_only);
    decided_ &= present.has_value();
    return present;
  }

  Cond any_accumulation(const TagCase& c) {
    return some(
               c, [](const Name&) { return std::optional(Cond(true)); }, true)
        .value_or(Cond(false));
  }

  /// C2: nobody stored the element, and nobody accumulated into it.
  void unwritten(const std::vector<TagCase>& cases) {
    Cond wrong(false);
    for (const TagCase& c : cases)
      if (!c.base && !c.unknown) wrong = wrong || (c.when && !any_accumulation(c));
    ask(FindingClass::unwritten, "C2", wrong, cases, meant());
  }

  /// C3, C6: contents of an earlier life are STALE through the new name and DEAD through the old one.
  void earlier_life(const std::vector<TagCase>& cases) {
    Cond old(false);
    for (const TagCase& c : cases)
      old = old || (c.when && c.old && (c.base || c.unknown ? Cond(true) : any_accumulation(c)));
    if (old.is_false()) return;
    const Cond through_old = tags_.outlived(access_.storage, read_.life, query_.moment);
    ask(FindingClass::stale, "C3", old && !through_old, cases);
    ask(FindingClass::dead, "C6", old && through_old, cases);
  }

  std::optional<Cond> same(const Name& a, const Name& b) {
    auto equal = same_name(a, b, one_digit(world_.ranges));
    decided_ &= equal.has_value();
    return equal;
  }

  Cond among(const Name& name, const std::vector<Name>& names) {
    Cond any(false);
    for (const Name& one : names) any = any || same(name, one).value_or(Cond(false));
    return any;
  }

  NameTest is(const Name& wanted) {
    return [this, wanted](const Name& name) { return same(name, wanted); };
  }
  NameTest is_not(const std::vector<Name>& names) {
    return [this, names](const Name& name) { return std::optional(!among(name, names)); };
  }

  /// Asked for each pair of cases, and costly.
  const Cond& accumulates(const TagCase& c, const Name& name) {
    const auto [found, fresh] = accumulates_.emplace(std::pair(&c, name.str()), false);
    if (fresh) found->second = some(c, is(name)).value_or(Cond(false));
    return found->second;
  }

  Cond has(const TagCase& c, const Name& name) {
    const Cond out = c.base ? same(*c.base, name).value_or(Cond(false)) : Cond(false);
    return out || accumulates(c, name);
  }

  Cond has_other_than(const TagCase& c, const std::vector<Name>& names) {
    Cond out = c.base ? !among(*c.base, names) : Cond(false);
    return out || some(c, is_not(names)).value_or(Cond(false));
  }

  /// C3, C9 of a bufprog read: the contributors against the names it gives.
  void named(const TagCase& c) {
    if (c.unknown) return;
    const Cond here = c.when && !c.old && (c.base ? Cond(true) : any_accumulation(c));
    const std::vector<Name>& names = read_.from.names;
    if (read_.from.kind == From::Kind::one_of) {
      ask(FindingClass::stale, "C3", here && !single(c, names), {c});
      return;
    }
    Cond lacking(false);
    for (const Name& name : names) lacking = lacking || !has(c, name);
    ask(FindingClass::incomplete, "C9", here && lacking, {c});
    if (read_.from.kind == From::Kind::exactly)
      ask(FindingClass::extra, "C9", here && has_other_than(c, names), {c});
  }

  /// One producer, and it is one of `names`: the accumulators if there are any, else the last store.
  Cond single(const TagCase& c, const std::vector<Name>& names) {
    const Cond accumulated = any_accumulation(c);
    Cond accumulators = !some(c, is_not(names)).value_or(Cond(false));
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j)
        accumulators =
            accumulators &&
            (same(names[i], names[j]).value_or(Cond(false)) ||
             !(some(c, is(names[i])).value_or(Cond(false)) && some(c, is(names[j])).value_or(Cond(false))));
    const Cond store = c.base ? among(*c.base, names) : Cond(false);
    return (accumulated && accumulators) || (!accumulated && store);
  }

  const std::vector<TagCase>& meant() {
    if (!meant_) {
      meant_.emplace();
      if (read_.ideal) {
        auto cases = tags_.cases(query_of(*read_.ideal, world_.ranges));
        decided_ &= cases.has_value();
        if (cases) meant_ = std::move(cases);
      }
    }
    return *meant_;
  }

  /// C3 of a wrapper: the actual last writer against the one the text means.
  void intended(const std::vector<TagCase>& cases) {
    for (const TagCase& actual : cases)
      for (const TagCase& ideal : meant()) {
        if (actual.unknown || ideal.unknown) continue;
        const Cond both = actual.when && ideal.when;
        if (both.is_false()) continue;
        const Cond written = actual.base ? Cond(true) : any_accumulation(actual);
        const Cond wrong = both && written && differ(actual, ideal);
        if (!wrong.is_false()) ask(FindingClass::stale, "C3", wrong, {actual}, {ideal});
      }
  }

  /// S1: another set of contributors, or of those that accumulated. A base that also accumulated is not told
  /// apart from its accumulation alone.
  Cond differ(const TagCase& actual, const TagCase& ideal) {
    std::set<Name> names;
    for (const TagCase* c : {&actual, &ideal}) {
      if (c->base) names.insert(*c->base);
      for (const Layer& layer : c->layers)
        for (const Event* event : layer.events) names.insert(event->writer);
    }
    Cond out(false);
    const auto unlike = [&](const Cond& here, const Cond& there) {
      out = out || (here && !there) || (!here && there);
    };
    for (const Name& name : names) {
      unlike(accumulates(actual, name), accumulates(ideal, name));
      unlike(has(actual, name), has(ideal, name));
    }
    return out;
  }

  /// E8: a verdict on such an element would rest on a call whose effects are not known.
  void unknowns(const std::vector<TagCase>& cases) {
    Cond wrong(false);
    std::vector<TagCase> all = cases;
    if (meant_) all.insert(all.end(), meant_->begin(), meant_->end());
    for (const TagCase& c : all)
      if (c.unknown) wrong = wrong || c.when;
    if (wrong.is_false()) return;
    Question q;
    q.rule = "E8";
    q.buffer = read_.buffer;
    q.reader = read_.reader;
    q.where = read_.where;
    q.wrong = base_ && wrong;
    out_.rests_on_unknown.push_back(std::move(q));
  }

  const World& world_;
  const Tags& tags_;
  const Read& read_;
  Access access_;
  Query query_;
  Cond base_ = true;
  std::optional<std::vector<TagCase>> meant_;
  std::map<std::pair<const TagCase*, std::string>, Cond> accumulates_;  ///< cases outlive it
  bool decided_ = true;
  Judged out_;
};

/// The common case without any solver: one store covers the read in both worlds, and it is the same one.
const Event* plainly_right(const Tags& tags, const Read& read, std::vector<const Event*>& later) {
  if (read.from.kind != From::Kind::any && read.from.kind != From::Kind::intended) return nullptr;
  const Event* actual = tags.only_store(read.access, &later);
  if (!actual || read.from.kind == From::Kind::any) return actual;
  const Event* ideal = read.ideal ? tags.only_store(*read.ideal) : nullptr;
  return ideal && ideal->writer == actual->writer ? actual : nullptr;
}

}  // namespace

std::vector<SymExpr> logical(const Access& access) {
  std::vector<SymExpr> out = access.index;
  if (access.unit_axis && !out.empty()) out.pop_back();
  return out;
}

Judged judge(const World& world, const Tags& tags, const Read& read) {
  Judged plain;
  if (const Event* cover = plainly_right(tags, read, plain.later)) {
    plain.by_algebra = true;
    plain.cover = cover;
    return plain;
  }
  Judged judged = ReadJudge(world, tags, read).run();
  if (!read.may) return judged;
  // E1: what would be wrong with an element that need not matter is undecided.
  for (Question& question : judged.questions) {
    question.rule = "E1";
    judged.rests_on_unknown.push_back(std::move(question));
  }
  judged.questions.clear();
  return judged;
}

namespace {

/// By interval arithmetic alone.
bool surely_inside(const World& world, const Access& access) {
  const auto variables = variables_of(access);
  auto between = [&](const SymExpr& value, const SymExpr& end) {
    const auto least = extreme(value, variables, false);
    const auto most = extreme(value, variables, true);
    return least && most && world.ranges.surely_le(0, *least) && world.ranges.surely_lt(*most, end);
  };
  for (std::size_t axis = 0; axis < access.index.size(); ++axis)
    if (!between(access.index[axis], access.layout->sizes[axis])) return false;
  const auto& size = world.storages[access.storage].size;
  return !size || between(access.address, *size);
}

}  // namespace

Judged judge(const World& world, const Bounds& bounds) {
  const Access access = expanded(bounds.access);
  if (surely_inside(world, access)) {
    Judged out;
    out.by_algebra = true;
    return out;
  }
  Cond outside(false);
  for (std::size_t axis = 0; axis < access.index.size(); ++axis)
    outside = outside || Cond::lt(access.index[axis], 0) ||
              Cond::le(access.layout->sizes[axis], access.index[axis]);
  if (const auto& size = world.storages[access.storage].size)
    outside = outside || Cond::lt(access.address, 0) || Cond::le(*size, access.address);
  Judged out;
  const Cond wrong = instance_condition(access) && outside;
  if (wrong.is_false()) {
    out.by_algebra = true;
    return out;
  }
  Question q;
  q.kind = FindingClass::oob;
  q.rule = "C5";
  q.buffer = bounds.buffer;
  q.reader = bounds.actor;
  q.where = bounds.where;
  q.step = access.place.step;
  q.wrong = wrong;
  q.running = access.running;
  q.element = logical(access);
  q.storage = access.storage;
  out.questions.push_back(std::move(q));
  return out;
}

Question question_of(const Misuse& misuse) {
  Question q;
  q.kind = misuse.kind;
  q.rule = misuse.rule;
  q.buffer = misuse.buffer;
  q.reader = misuse.actor;
  q.where = misuse.where;
  q.step = misuse.place.step;
  q.message = misuse.message;
  q.writer_where = misuse.writer_where;
  q.wrong = misuse.guard;
  for (const LoopFrame& loop : misuse.place.loops) {
    const SymExpr value = SymExpr::symbol(loop.variable);
    q.wrong = q.wrong && Cond::le(0, value) && Cond::lt(value, loop.count);
  }
  return q;
}

}  // namespace bufferproof::checker
