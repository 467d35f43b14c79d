#include "model/lowering/source_touch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "model/lowering/index_text.hpp"
#include "model/lowering/pointer_use.hpp"
#include "model/lowering/source_blocks.hpp"
#include "model/lowering/source_text.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model::lowering {
namespace {

constexpr std::size_t kLongestText = 1U << 20;
constexpr std::size_t kMostBlocks = 2000;
constexpr std::int64_t kLargest = std::int64_t{1} << 61;  ///< of what loops are followed with

/// One load or store of `lanes` elements from `index` on.
struct Access {
  std::optional<Range> index;        ///< every value it can have; nullopt: not known
  std::optional<std::int64_t> last;  ///< the largest of its values in the first and the last iteration;
                                     ///< nullopt: these may not come to it
  std::int64_t lanes = 1;
  bool never = false;  ///< a loop around it has no iteration
};

std::optional<std::int64_t> one(const std::optional<Range>& range) {
  return range && range->lo == range->hi ? std::optional(range->lo) : std::nullopt;
}

/// nullopt where one of them is.
std::optional<std::int64_t> larger(const std::optional<std::int64_t>& a,
                                   const std::optional<std::int64_t>& b) {
  return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(skip_blanks(text, 0));
  while (!text.empty() && skip_blanks(text, text.size() - 1) == text.size()) text.remove_suffix(1);
  return text;
}

/// The pieces between `separator`s that stand outside brackets.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    if (depth != 0 || text.substr(at, separator.size()) != separator) continue;
    parts.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + separator.size();
    at = begin - 1;
  }
  parts.push_back(trimmed(text.substr(std::min(begin, text.size()))));
  return parts;
}

/// What stands after `operation` in "NAME operation REST", if NAME is `name`.
std::optional<std::string_view> after(std::string_view text, std::string_view name,
                                      std::string_view operation) {
  if (text.substr(0, name.size()) != name) return std::nullopt;
  const std::size_t at = skip_blanks(text, name.size());
  if (text.substr(at, operation.size()) != operation) return std::nullopt;
  return trimmed(text.substr(at + operation.size()));
}

std::optional<Range> of_scalar(const Scalars& scalars, std::string_view name) {
  const auto found = scalars.find(name);
  return found == scalars.end() ? std::nullopt : std::optional(Range{found->second, found->second});
}

// ---- C++

/// What is known of a loop's variable: first, first + step, ... up to last.
struct Counter {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;

  /// The values below `bound` remain; false: none does.
  bool below(std::int64_t bound) {
    if (bound <= first) return false;
    last = std::min(last, first + (bound - 1 - first) / step * step);
    return true;
  }
  /// The values from `bound` on remain; false: none does.
  bool from(std::int64_t bound) {
    if (bound > last) return false;
    if (bound > first) first += ((bound - first - 1) / step + 1) * step;
    return first <= last;
  }
};

/// The loops and guards around one place.
class Surroundings {
 public:
  Surroundings(const std::vector<SourceBlock>& blocks, const Scalars& scalars) : scalars_(scalars) {
    for (const SourceBlock& block : blocks) {
      if (block.kind == SourceBlock::Kind::loop)
        certain_ = loop(block.head) && certain_;
      else
        certain_ = block.kind == SourceBlock::Kind::guard && guard(block.head) && certain_;
    }
  }
  /// It is not certain that the place is come to.
  void doubt() { certain_ = false; }
  Access access(std::string_view index, std::string_view lanes) const {
    Access found;
    found.never = never_;
    const auto wide = lanes.empty() ? std::optional(step_) : one(range(lanes));
    if (!wide || *wide < 1) return found;
    found.lanes = *wide;
    found.index = range(index);
    if (certain_) found.last = larger(corner(index, &Counter::first), corner(index, &Counter::last));
    return found;
  }

 private:
  std::optional<Range> of(std::string_view name, std::int64_t Counter::*from,
                          std::int64_t Counter::*to) const {
    const auto counter = counters_.find(name);
    if (counter != counters_.end()) return Range{counter->second.*from, counter->second.*to};
    return of_scalar(scalars_, name);
  }
  std::optional<Range> range(std::string_view text) const {
    return index_range(text,
                       [&](std::string_view name) { return of(name, &Counter::first, &Counter::last); });
  }
  /// The value where every variable has its first, or last, value.
  std::optional<std::int64_t> corner(std::string_view text, std::int64_t Counter::*at) const {
    return one(index_range(text, [&](std::string_view name) { return of(name, at, at); }));
  }
  std::optional<std::int64_t> number(std::string_view text) const {
    return one(index_range(text, [&](std::string_view name) { return of_scalar(scalars_, name); }));
  }
  /// `long x0 = FIRST; x0 < BOUND; x0 += STEP`; false when it is not understood or has no iteration.
  bool loop(std::string_view head) {
    const auto parts = split(head, ";");
    const std::size_t equals = parts[0].find('=');
    if (parts.size() != 3 || equals == std::string_view::npos) return false;
    std::string_view name = trimmed(parts[0].substr(0, equals));
    name.remove_prefix(name.find_last_of(" \t\n") + 1);
    counters_.erase(name);
    const auto first = number(parts[0].substr(equals + 1));
    const auto bound = number(after(parts[1], name, "<").value_or(""));
    const auto step = step_of(parts[2], name);
    if (!first || !bound || !step || *step < 1 || *first < 0) return false;
    if (*bound > kLargest || *step > kLargest) return false;
    Counter counter{*first, *bound, *step};
    if (!counter.below(*bound)) return !(never_ = true);
    if (*step > 1) step_ = *step;
    counters_.emplace(name, counter);
    return true;
  }
  std::optional<std::int64_t> step_of(std::string_view text, std::string_view name) const {
    if (const auto by = after(text, name, "+=")) return number(*by);
    const bool one_more = after(text, name, "++") == "" || after(text, "++", "") == name;
    return one_more ? std::optional<std::int64_t>(1) : std::nullopt;
  }
  /// `C10_LIKELY(x0 >= A && x0 < B)`; false when it is not understood or never true.
  bool guard(std::string_view head) {
    head = trimmed(head);
    for (const std::string_view hint : {"C10_LIKELY(", "C10_UNLIKELY("})
      if (head.starts_with(hint) && head.ends_with(")"))
        head = head.substr(hint.size(), head.size() - hint.size() - 1);
    if (head.find("||") != std::string_view::npos) return false;
    bool understood = true;
    for (const std::string_view part : split(head, "&&")) understood = restrict(part) && understood;
    return understood;
  }
  bool restrict(std::string_view part) {
    for (auto& [name, counter] : counters_) {
      const auto least = after(part, name, ">=");
      const auto bound = least ? std::nullopt : after(part, name, "<");
      if (!least && !bound) continue;
      const auto value = number(least ? *least : *bound);
      if (!value) return false;
      const bool some = least ? counter.from(*value) : counter.below(*value);
      never_ = never_ || !some;
      return some;
    }
    return false;
  }

  const Scalars& scalars_;
  std::map<std::string_view, Counter> counters_;
  std::int64_t step_ = 1;  ///< of the innermost loop that takes more than one element at a time
  bool certain_ = true;    ///< the last iteration of all loops comes here
  bool never_ = false;
};

class CppText {
 public:
  CppText(std::string_view text, const Scalars& scalars)
      : text_(text), scalars_(scalars), blocks_(source_blocks(text)), leaves_(leaves(text)) {}

  Access access(const PointerSite& site) const {
    if (blocks_.size() > kMostBlocks) return {};
    Surroundings surroundings(around(blocks_, site.start), scalars_);
    if (leaves_ || conditional(site.start)) surroundings.doubt();
    if (site.end < text_.size() && text_[site.end] == '[')
      return surroundings.access(text_.substr(site.end + 1, closing(text_, site.end) - site.end - 1), "1");
    const std::string_view call = called(text_, site.start);
    if (call != "store" && call != "loadu") return {};
    return vector(surroundings, site);
  }

 private:
  /// Some statement leaves a loop or the kernel.
  static bool leaves(std::string_view text) {
    text.remove_prefix(body_start(text));
    return std::any_of(kLeaving.begin(), kLeaving.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  }
  /// In a statement that may not evaluate all of its parts.
  bool conditional(std::size_t at) const {
    const std::size_t begin = text_.find_last_of(";{}", at) + 1;  // 0 where there is none
    const std::string_view statement = text_.substr(begin, at - begin);
    return statement.find('?') != std::string_view::npos || statement.find("&&") != std::string_view::npos ||
           statement.find("||") != std::string_view::npos;
  }
  /// `pointer + INDEX` or `pointer + INDEX, COUNT`.
  Access vector(const Surroundings& surroundings, const PointerSite& site) const {
    const std::size_t end = argument_end(text_, site.end);
    const std::string_view index = trimmed(text_.substr(site.end, end - site.end));
    if (!index.starts_with("+") || end >= text_.size()) return {};
    std::string_view lanes;
    if (text_[end] == ',') lanes = text_.substr(end + 1, argument_end(text_, end + 1) - end - 1);
    return surroundings.access(index.substr(1), lanes);
  }

  static constexpr std::array<std::string_view, 4> kLeaving{"continue;", "break;", "return;", "goto "};
  std::string_view text_;
  const Scalars& scalars_;
  std::vector<SourceBlock> blocks_;
  bool leaves_;
};

// ---- Triton

class TritonText {
 public:
  TritonText(std::string_view text, const Scalars& scalars) : text_(text), scalars_(scalars) {
    read_assignments();
  }

  Access access(const PointerSite& site) const {
    const std::string_view call = called(text_, site.start);
    const std::size_t end = argument_end(text_, site.end);
    const std::string_view index = trimmed(text_.substr(site.end, end - site.end));
    if ((call != "load" && call != "store") || !index.starts_with("+") || end >= text_.size()) return {};
    Access found;
    found.index = value(index.substr(1), Corner::any, 0);
    const std::string_view rest = text_.substr(end, closing(text_, site.start - 1 - blanks(site)) - end);
    if (always(rest, call == "store") && !branches_)
      found.last =
          larger(one(value(index.substr(1), Corner::first, 0)), one(value(index.substr(1), Corner::last, 0)));
    return found;
  }

 private:
  static constexpr int kDeepest = 16;
  enum class Corner : std::uint8_t { any, first, last };

  std::size_t blanks(const PointerSite& site) const {
    std::size_t count = 0;
    while (site.start > count + 1 && text_[site.start - 1 - count] == ' ') ++count;
    return count;
  }
  /// Every `NAME = TEXT` line; a name with two different texts is not known.
  void read_assignments() {
    for (std::size_t line = body_start(text_); line < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      assignment(text_.substr(line, end - line));
      line = end + 1;
    }
  }
  void assignment(std::string_view line) {
    for (const std::string_view word : {"if ", "elif ", "else:", "while ", "return"})
      branches_ = branches_ || trimmed(line).starts_with(word);
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) return;
    const std::string_view name = trimmed(line.substr(0, equals));
    if (!std::all_of(name.begin(), name.end(), is_word)) return;
    const std::string_view text = trimmed(line.substr(equals + 3));
    const auto [known, fresh] = texts_.emplace(name, text);
    if (!fresh && known->second != text) known->second = {};
  }
  std::optional<Range> value(std::string_view text, Corner corner, int depth) const {
    if (depth > kDeepest) return std::nullopt;
    return index_range(text, [&](std::string_view name) { return of_name(name, corner, depth + 1); });
  }
  /// The count that goes with an index: xnumel with xindex, r0_numel with r0_index and, in NPU kernels,
  /// x0_numel with x0. "": it is no index that the compiler made.
  std::string count_of(std::string_view name) const {
    const auto text = texts_.find(name);
    if (text == texts_.end()) return "";
    constexpr std::string_view kIndex = "index";
    const bool index = name.ends_with(kIndex) && name.size() > kIndex.size();
    const std::string axis(index ? name.substr(0, name.size() - kIndex.size()) : name);
    const std::string count = index ? axis + "numel" : axis + "_numel";
    const bool made = text->second.starts_with(axis + (index ? "offset" : "_offset")) ||
                      text->second.starts_with(index ? "tl.arange(" : "base_" + axis);
    return made && (texts_.contains(count) || scalars_.contains(count)) ? count : "";
  }
  std::optional<Range> of_name(std::string_view name, Corner corner, int depth) const {
    if (const std::string count = count_of(name); !count.empty()) {
      const auto elements = one(of_name(count, corner, depth));
      if (!elements || *elements < 1) return std::nullopt;
      return Range{corner == Corner::last ? *elements - 1 : 0, corner == Corner::first ? 0 : *elements - 1};
    }
    const auto text = texts_.find(name);
    if (text == texts_.end()) return of_scalar(scalars_, name);
    return depends_on_data(name) ? std::nullopt : value(text->second, corner, depth);
  }
  /// Nothing but the bounds of the index masks the access: `, xmask & rmask, other=0.0`. Of a store the first
  /// argument is the value.
  bool always(std::string_view arguments, bool store) const {
    auto parts = split(arguments, ",");  // begins with the comma
    parts.erase(parts.begin());
    if (store && !parts.empty()) parts.erase(parts.begin());
    return std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
      if (part.starts_with("eviction_policy") || part.starts_with("other")) return true;
      const auto masks = split(part, "&");
      return std::all_of(masks.begin(), masks.end(), [&](std::string_view mask) { return is_bound(mask); });
    });
  }
  /// `xmask = xindex < xnumel`, or one that is true everywhere.
  bool is_bound(std::string_view mask) const {
    const auto text = texts_.find(mask);
    if (mask == "None" || text == texts_.end()) return mask == "None";
    if (text->second.starts_with("tl.full(") && text->second.find("True") != std::string_view::npos)
      return true;
    const std::string_view index = trimmed(text->second.substr(0, text->second.find('<')));
    const std::string count = count_of(index);
    return !count.empty() &&
           (after(text->second, index, "<") == count || text->second.ends_with(", " + count + ")"));
  }

  std::string_view text_;
  const Scalars& scalars_;
  std::map<std::string_view, std::string_view> texts_;
  bool branches_ = false;  ///< some line may not run
};

/// All loads, or all stores, of one pointer.
class Hull {
 public:
  void add(const Access& access) {
    some_ = true;
    if (access.never) return;
    const auto end = access.index ? checked_add(access.index->hi, access.lanes - 1) : std::nullopt;
    if (!end) return static_cast<void>(followed_ = false);
    Range& all = range_ ? *range_ : range_.emplace(*access.index);
    all = {std::min(all.lo, access.index->lo), std::max(all.hi, *end)};
  }
  std::optional<Range> range() const {
    return some_ && followed_ ? std::optional(range_.value_or(Range{0, -1})) : std::nullopt;
  }

 private:
  std::optional<Range> range_;
  bool some_ = false;
  bool followed_ = true;
};

/// The last access of all, and all stores and loads together.
class Collector {
 public:
  void add(const Access& access, bool store) {
    (store ? stored_ : loaded_).add(access);
    if (!access.last || *access.last < 0) return;
    const auto end = checked_add(*access.last, access.lanes);
    if (!end || *end <= found_.reaches) return;
    found_.reaches = *end;
    found_.stores_there = store;
  }
  Touched result(bool followed) {
    if (followed) found_.stored = stored_.range();
    found_.loaded = loaded_.range();
    return found_;
  }

 private:
  Hull stored_;
  Hull loaded_;
  Touched found_;
};

template <typename Text>
Touched collect(const Text& accesses, std::string_view text, std::string_view parameter) {
  Collector all;
  for (const PointerSite& site : pointer_sites(text, parameter))
    all.add(accesses.access(site), is_store(text, site));
  const PointerUse use = pointer_use(text, parameter);
  return all.result(!use.scatters && !use.others);
}

}  // namespace

Touched touched(std::string_view text, std::string_view parameter, const Scalars& scalars) {
  if (text.size() > kLongestText) return {};
  return is_cpp(text) ? collect(CppText(text, scalars), text, parameter)
                      : collect(TritonText(text, scalars), text, parameter);
}

}  // namespace bufferproof::model::lowering
