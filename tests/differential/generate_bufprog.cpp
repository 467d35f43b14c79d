// Programs in bufprog, as text: what a failing test prints can be run by hand.
#include <fmt/format.h>

#include <array>

#include "tests/differential/choice.hpp"
#include "tests/differential/generate.hpp"

namespace bufferproof::differential {
namespace {

// ---- the small world: a, b, a handle h made from a, three kernels with a statement between them
// --------------

constexpr std::array<const char*, 3> kSizes{"4", "n", "3"};
constexpr std::array<const char*, 2> kInits{"uninit", "zero"};
constexpr std::array<const char*, 8> kHandles{
    "same h = a",
    "name h = a",
    "take h = a",
    "view h = a + 0 len 2",
    "view h = a + 1 len 1",
    "layout h = a shape (2) stride (2)",
    "layout h = a shape (n) stride (1)",
    "layout h = a shape (2) stride (0)",
};
constexpr std::array<const char*, 8> kBetween{
    "hostsync s0",
    "signal e on s0\nwait e on s1",
    "signal e on s1\nwait e on s0",
    "take c = a",
    "point b -> a",
    "point h -> b",
    "drop h",
    "copy h[0:1] -> b[0:1]",
};
constexpr std::array<const char*, 3> kTargets{"a", "b", "h"};
constexpr std::array<const char*, 6> kClauses{
    "write {}[0:2]",           "write {}[0]",   "read {}[0:2]", "read {}[0:2] from K0|K1|zero",
    "read {}[0] from K0&zero", "accum {}[0:2]",
};
constexpr std::uint64_t kKernels = kTargets.size() * kClauses.size() * 2;

std::string small_kernel(Digits& digits, int number) {
  const char* target = kTargets[digits.take(kTargets.size())];
  const char* clause = kClauses[digits.take(kClauses.size())];
  const char* stream = digits.take(2) ? " on s1" : "";
  return fmt::format("kernel K{}{}: {}\n", number, stream, fmt::format(fmt::runtime(clause), target));
}

}  // namespace

std::uint64_t small_bufprog_size() {
  return kKernels * kBetween.size() * kKernels * kBetween.size() * kKernels * kHandles.size() *
         kSizes.size() * kInits.size();
}

std::string small_bufprog_text(std::uint64_t index) {
  Digits digits(index);
  const std::string last = small_kernel(digits, 2);
  const std::string second = kBetween[digits.take(kBetween.size())];
  const std::string middle = small_kernel(digits, 1);
  const std::string first = kBetween[digits.take(kBetween.size())];
  const std::string begin = small_kernel(digits, 0);
  const char* handle = kHandles[digits.take(kHandles.size())];
  const char* size = kSizes[digits.take(kSizes.size())];
  const char* init = kInits[digits.take(kInits.size())];
  return fmt::format(
      "param n = 2 in 2..4\nbuf a[{}] {}\nbuf b[3] zero\n{}\n{}{}\n{}{}\n{}result a[0] from K0|K1|zero\n",
      size, init, handle, begin, first, middle, second, last);
}

// ---- random programs
// -------------------------------------------------------------------------------------------

namespace {

/// A name that may be used where the text stands; its rank never changes, so that indices always fit.
struct Usable {
  std::string name;
  int rank;
};

class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : dice_(seed), calm_(dice_.one_in(2)) {}

  std::string build() {
    const int params = dice_.pick(0, 2);
    for (int i = 0; i < params; ++i) parameter(i);
    const int buffers = dice_.pick(1, 3);
    for (int i = 0; i < buffers; ++i) buffer();
    const int statements = dice_.pick(3, 9);
    for (int i = 0; i < statements; ++i) statement(2);
    line("result " + access() + from());
    return text_;
  }

 private:
  void line(const std::string& s) { text_ += std::string(static_cast<std::size_t>(indent_), ' ') + s + "\n"; }

  void parameter(int i) {
    const int lo = dice_.pick(0, 2);
    const int hi = lo + dice_.pick(0, 3);
    const std::string name(1, "nm"[i]);
    line(fmt::format("param {} = {} in {}..{}", name, dice_.pick(lo, hi), lo, hi));
    params_.push_back(name);
  }

  /// A value of 0 or more, small.
  std::string extent() {
    if (params_.empty() || dice_.one_in(2)) return std::to_string(dice_.pick(1, 5));
    const std::string& p = dice_.of(params_);
    return dice_.of(std::vector<std::string>{p, p + "+1", "2*" + p, "max(" + p + ", 2)"});
  }
  /// Any small value; with loop variables.
  std::string value() {
    if (!loops_.empty() && dice_.one_in(2)) {
      const std::string& i = dice_.of(loops_);
      return dice_.of(std::vector<std::string>{i, i + "+1", "2*" + i, "3-" + i});
    }
    return dice_.one_in(2) ? std::to_string(dice_.pick(0, 3)) : extent();
  }

  std::string fresh() { return fmt::format("b{}", count_++); }

  void buffer() {
    const std::string name = fresh();
    const int rank = dice_.one_in(4) ? 2 : 1;
    const char* init = dice_.of(calm_ ? std::vector<const char*>{"zero", "input", "filled"}
                                      : std::vector<const char*>{"uninit", "uninit", "zero", "input"});
    line(fmt::format("buf {}[{}] {}", name, rank == 1 ? extent() : extent() + "," + extent(), init));
    names_.push_back({name, rank});
  }

  std::string slice() {
    if (calm_) return "0:1";
    switch (dice_.pick(0, 3)) {
      case 0:
        return value();
      case 1:
        return fmt::format("{}:{}", dice_.pick(0, 2), extent());
      default:
        return "0:" + extent();
    }
  }
  std::string set(int rank) {
    if (dice_.one_in(calm_ ? 12 : 4)) {
      const std::string first = dice_.of(std::vector<std::string>{"k", "2*k", "k+1", "3-k", "k//2", "k%2"});
      const std::string index = rank == 1 ? first : first + ", " + value();
      const char* where = dice_.of(std::vector<const char*>{"", " ; k != 1", " ; k >= 1 and k < 3"});
      return fmt::format("{{{} | k<{}{}}}", index, extent(), where);
    }
    return "[" + (rank == 1 ? slice() : slice() + "," + slice()) + "]";
  }
  std::string access() {
    const Usable& usable = dice_.of(names_);
    return usable.name + set(usable.rank);
  }

  std::string producer() {
    if (kernels_.empty() || dice_.one_in(4)) return dice_.of(std::vector<std::string>{"zero", "in", "fill"});
    return dice_.of(kernels_);
  }
  std::string from() {
    if (calm_ && !dice_.one_in(4)) return dice_.one_in(2) ? "" : " from A|B|C|D|E|L0|L1|L2|L3|in|zero|fill";
    switch (dice_.pick(0, 5)) {
      case 0:
        return "";
      case 1:
      case 2:
        return fmt::format(" from {}|{}", producer(), producer());
      case 3:
        return fmt::format(" from {}&{}", producer(), producer());
      case 4:
        return fmt::format(" from ={}&{}", producer(), producer());
      default:
        return " from " + producer();
    }
  }

  std::string stream() { return dice_.one_in(calm_ ? 12 : 3) ? " on s1" : ""; }

  void kernel() {
    std::string name(1, "ABCDE"[dice_.pick(0, 4)]);
    if (!loops_.empty() && dice_.one_in(3)) name = "L{" + loops_.back() + "}";
    std::string clauses;
    const int count = dice_.pick(1, 3);
    for (int i = 0; i < count; ++i) {
      const int kind = dice_.pick(0, 5);
      if (i > 0) clauses += "; ";
      clauses += kind <= 1 ? "read " + access() + from() : (kind == 2 ? "accum " : "write ") + access();
    }
    line(fmt::format("kernel {}{}: {}", name, stream(), clauses));
    kernels_.push_back(name.find('{') == std::string::npos ? name : "L" + std::to_string(dice_.pick(0, 1)));
  }

  void handle() {
    const Usable base = dice_.of(names_);
    const std::string name = fresh();
    int rank = base.rank;
    switch (dice_.pick(0, 5)) {
      case 0:
        line(fmt::format("view {} = {} + {} len {}", name, base.name, dice_.pick(0, 2), extent()));
        rank = 1;
        break;
      case 1: {
        rank = 2;
        const char* stride = dice_.of(std::vector<const char*>{"(2,1)", "(1,2)", "(3,1)", "(1,1)", "(0,1)"});
        line(fmt::format("layout {} = {} shape ({},{}) stride {}", name, base.name, extent(), extent(),
                         stride));
        break;
      }
      case 2:
        line(fmt::format("same {} = {}", name, base.name));
        break;
      case 3:
        line(fmt::format("name {} = {}", name, base.name));
        break;
      default:
        line(fmt::format("take {} = {}", name, base.name));
        break;
    }
    names_.push_back({name, rank});
  }

  void point() {
    const Usable a = dice_.of(names_);
    const Usable b = dice_.of(names_);
    if (a.rank == b.rank && a.name != b.name) line(fmt::format("point {} -> {}", a.name, b.name));
  }

  void copy() {
    const Usable a = dice_.of(names_);
    const Usable b = dice_.of(names_);
    if (a.rank != 1 || b.rank != 1) return;
    const std::string count = extent();
    line(fmt::format("copy{} {}[0:{}] -> {}[0:{}]", dice_.one_in(4) ? " on s1:" : "", a.name, count, b.name,
                     count));
  }

  void order() {
    switch (dice_.pick(0, 3)) {
      case 0:
        return line("hostsync s1");
      case 1:
        return line(fmt::format("signal e on s{}", dice_.pick(0, 1)));
      default:
        return line(fmt::format("wait e on s{}", dice_.pick(0, 1)));
    }
  }

  /// Names made inside a block are unknown behind it: on another path they have another rank, or none.
  void nested(const std::string& header, int depth) {
    line(header);
    indent_ += 2;
    const std::vector<Usable> outer = names_;
    const int statements = dice_.pick(1, 2);
    for (int i = 0; i < statements; ++i) statement(depth - 1);
    kernel();
    names_ = outer;
    indent_ -= 2;
  }

  void loop(int depth) {
    const std::string variable(1, "ij"[loops_.size() % 2]);
    loops_.push_back(variable);
    nested(fmt::format("loop {}<{}:", variable, dice_.one_in(2) ? "2" : extent_outside_loop()), depth);
    loops_.pop_back();
  }
  std::string extent_outside_loop() { return params_.empty() ? "3" : dice_.of(params_); }

  void branch(int depth) {
    const std::string p = params_.empty() ? "1" : dice_.of(params_);
    const char* op = dice_.of(std::vector<const char*>{"==", "<=", "!=", ">"});
    nested(fmt::format("if {} {} {}:", p, op, dice_.pick(0, 2)), depth);
    if (dice_.one_in(2)) nested("else:", depth);
  }

  void statement(int depth) {
    const int kind = dice_.pick(0, 15);
    if (kind <= 6 || depth == 0 || (calm_ && kind == 15)) return kernel();
    if (kind <= 8) return handle();
    if (kind == 9) return point();
    if (kind == 10) return copy();
    if (kind == 11) return order();
    if (kind == 12) return loop(depth);
    if (kind == 13) return branch(depth);
    if (kind == 14) return buffer();
    line("drop " + dice_.of(names_).name);
  }

  Dice dice_;
  bool calm_;  ///< half of the programs have little that can go wrong, so that many are safe
  std::string text_;
  int indent_ = 0;
  int count_ = 0;
  std::vector<std::string> params_;
  std::vector<std::string> loops_;
  std::vector<std::string> kernels_;
  std::vector<Usable> names_;
};

}  // namespace

std::string random_bufprog_text(std::uint64_t seed) { return RandomText(seed).build(); }

}  // namespace bufferproof::differential
