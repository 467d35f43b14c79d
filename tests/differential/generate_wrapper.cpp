// Lowered wrapper programs: handles that are viewed, renamed and rebound, launches with three roads.
#include <array>

#include "tests/differential/choice.hpp"
#include "tests/differential/generate.hpp"
#include "tests/differential/wrapper_parts.hpp"

namespace bufferproof::differential {

using model::Bind;
using model::Clause;
using model::contiguous;
using model::Init;
using model::Layout;
using model::SymExpr;
using model::Variant;

namespace {

const SymExpr n = SymExpr::symbol("s0");

// ---- the small world: x and b of (s0, 2), a view v of b, K0 writes b or v, something happens, K1 reads
// -------

/// Windows of a tensor of (s0, 2); every one stays inside it for s0 >= 2.
std::vector<Layout> small_views() {
  return {contiguous({n * 2}),       contiguous({2, n}),          Layout{{n, 2}, {1, n}, 0},
          Layout{{n, 1}, {2, 1}, 1}, Layout{{2}, {1}, n * 2 - 2}, Layout{{n, 2}, {2, 1}, 0}};
}
constexpr std::uint64_t kViews = 6;
constexpr std::uint64_t kBetween = 7;
constexpr std::array<Road, 7> kSmallRoads{
    Road::partial,      Road::compiled_dense, Road::rebind, Road::rebind_strides,
    Road::rebind_shape, Road::alias,          Road::drop};
constexpr std::uint64_t kPairs = kSmallRoads.size() * kSmallRoads.size();

std::vector<Variant> three_roads(Digits& digits, const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& outputs) {
  return {road(Road::write, "tuned", inputs, outputs, true),
          road(kSmallRoads[digits.take(kSmallRoads.size())], "second", inputs, outputs, false),
          road(kSmallRoads[digits.take(kSmallRoads.size())], "third", inputs, outputs, false)};
}

/// Returns the name that stands for b afterwards.
std::string between(std::uint64_t kind, WrapperText& text) {
  switch (kind) {
    case 0:
      text.bind(Bind::Kind::rename, "d", "b");
      return "d";
    case 1:
      text.bind(Bind::Kind::alias, "d", "b");
      return "d";
    case 2:
      text.copy("x", "c");
      return "c";
    case 3:
      text.add(model::Free{{"b"}});
      return "v";
    case 4:
      text.add(model::Signal{"e", "s1"});
      text.add(model::Wait{"e", "s0"});
      return "b";
    case 5:
      text.add(model::AssertLayout{"b", contiguous({n, 2}), std::nullopt});
      return "b";
    default:
      return "b";
  }
}

}  // namespace

std::uint64_t small_wrapper_size() { return kPairs * kPairs * kViews * kBetween * 2 * 2 * 2 * 2 * 4; }

model::Program small_wrapper(std::uint64_t index) {
  Digits digits(index);
  WrapperText text("small-wrapper-" + std::to_string(index) + ".py");
  text.symbol("s0", 2, 3);
  const Layout dense = contiguous({n, 2});
  const Tensor x{"x", dense};
  const Tensor b{"b", dense};
  const Tensor c{"c", dense};
  text.alloc(x, Init::input);
  text.alloc(b, Init::uninit);
  text.alloc(c, Init::uninit);
  const Layout window = small_views()[digits.take(kViews)];
  const Tensor v{"v", window};
  const bool view_first = digits.take(2) == 0;
  const bool through_view = view_first && digits.take(2) == 0;
  if (view_first) text.view("v", "b", window);
  const char* stream = digits.take(2) ? "s1" : "s0";
  const std::vector<Tensor> first{through_view ? v : b};
  text.launch("K0", stream, first, three_roads(digits, {x}, first));
  if (!view_first) text.view("v", "b", window);
  const std::string survivor = between(digits.take(kBetween), text);
  const Tensor target = digits.take(2) ? c : Tensor{survivor, survivor == "v" ? window : dense};
  const std::vector<Tensor> read{Tensor{survivor, {}}};
  text.launch("K1", "s0", {target}, three_roads(digits, read, {target}));
  const std::array<std::string, 4> last{"v", target.name, survivor, "b"};
  text.extern_call("aten.mm", "s0", {read_intended(last[digits.take(4)], false)});
  text.returns(target.name);
  return text.finish();
}

// ---- random wrappers
// -------------------------------------------------------------------------------------------

namespace {

class RandomWrapper {
 public:
  explicit RandomWrapper(std::uint64_t seed)
      : dice_(seed),
        order_(seed + 1'000'000'007),
        text_("random-" + std::to_string(seed) + ".py"),
        calm_(dice_.one_in(2)),
        unordered_(order_.one_in(3)) {}

  model::Program build() {
    if (dice_.one_in(2)) {
      text_.symbol("s0", 1, dice_.pick(2, 4));
      symbolic_ = true;
    }
    const int tensors = dice_.pick(2, 4);
    for (int i = 0; i < tensors; ++i) alloc(i == 0 || calm_ ? Init::input : Init::uninit);
    const int steps = dice_.pick(3, 9);
    for (int i = 0; i < steps; ++i) step();
    text_.returns(dice_.of(alive_).name);
    if (dice_.one_in(2)) text_.returns(dice_.of(alive_).name);
    return text_.finish();
  }

 private:
  std::string fresh(const char* prefix) { return prefix + std::to_string(count_++); }

  void alloc(Init init) {
    const SymExpr outer = symbolic_ && dice_.one_in(2) ? n : SymExpr(dice_.pick(1, 4));
    const Layout layout = dice_.one_in(3) ? contiguous({outer * 2}) : contiguous({outer, dice_.pick(1, 3)});
    alive_.push_back({fresh("buf"), layout});
    if (dice_.one_in(4) && layout.sizes.size() == 2)  // rows with gaps
      alive_.back().declared.strides[0] = layout.strides[0] + 1;
    text_.alloc(alive_.back(), init);
  }

  /// A window inside a dense tensor; of one with gaps, the same window over again.
  void view() {
    const Tensor base = dice_.of(alive_);
    Layout window = base.declared;
    window.offset = 0;
    if (base.declared.is_contiguous()) {
      const SymExpr elements = base.declared.elements();
      const int kind = dice_.pick(0, 3);
      if (kind == 0) window = contiguous({elements});
      if (kind == 1) window = Layout{{elements, 1}, {1, 1}, 0};
      if (kind == 2 && window.sizes.size() == 2)
        window = Layout{{window.sizes[1], window.sizes[0]}, {1, window.sizes[1]}, 0};
      if (kind == 3) window = Layout{{1}, {1}, elements - 1};
    }
    alive_.push_back({fresh("reinterpret"), window});
    text_.view(alive_.back().name, base.name, window);
  }

  Road calm_road() { return dice_.one_in(3) ? Road::write : Road::rebind; }

  std::string stream() {
    if (calm_) return "s0";
    return any_stream();
  }
  std::string any_stream() { return dice_.one_in(4) ? "s1" : "s0"; }

  void launch() { launch_into(dice_.of(alive_)); }

  void launch_into(const Tensor& output) {
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs{output};
    if (dice_.one_in(4) && outputs[0].name != alive_.back().name) outputs.push_back(alive_.back());
    const int count = dice_.pick(0, 2);
    for (int i = 0; i < count; ++i) inputs.push_back(dice_.of(alive_));
    std::vector<Variant> roads{road(Road::write, "tuned", inputs, outputs, dice_.one_in(2))};
    unorder(roads[0]);
    const int more = dice_.pick(0, 2);
    for (int i = 0; i < more && multi_road_ < 4; ++i)
      roads.push_back(
          road(calm_ ? calm_road() : static_cast<Road>(dice_.pick(0, static_cast<int>(kRoads) - 1)),
               i == 0 ? "second" : "third", inputs, outputs, dice_.one_in(3)));
    if (roads.size() > 1 && order_.one_in(3)) unorder(roads[1]);
    if (roads.size() > 1) ++multi_road_;
    text_.launch(fresh("kernel_"), stream(), outputs, std::move(roads));
  }

  void extern_call() {
    std::vector<Clause> clauses;
    const int count = dice_.pick(1, 3);
    for (int i = 0; i < count; ++i) {
      const std::string name = dice_.of(alive_).name;
      switch (dice_.pick(0, 5)) {
        case 0:
          clauses.push_back(clause(Clause::Kind::modify, name));
          break;
        case 1:
          clauses.push_back(clause(Clause::Kind::accumulate, name));
          break;
        case 2:
          clauses.push_back(clause(Clause::Kind::write, name));
          break;
        default:
          clauses.push_back(read_intended(name, false));
      }
    }
    text_.extern_call(fresh("extern_"), stream(), std::move(clauses));
  }

  void rename() {
    const auto at = static_cast<std::size_t>(dice_.pick(0, static_cast<int>(alive_.size()) - 1));
    const Tensor renamed{fresh("buf"), alive_[at].declared};
    text_.bind(Bind::Kind::rename, renamed.name, alive_[at].name);
    if (!dice_.one_in(8)) alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(at));
    alive_.push_back(renamed);
  }

  /// Two or three slices of one pool, planned well (one after the other) or anyhow.
  void pool() {
    const SymExpr unit = symbolic_ && dice_.one_in(2) ? n : SymExpr(dice_.pick(1, 2));
    const std::string pool = fresh("pool");
    text_.alloc({pool, contiguous({unit * 6})}, Init::uninit);
    const int slices = dice_.pick(2, 3);
    for (int i = 0; i < slices; ++i) {
      const int begin = calm_ || dice_.one_in(2) ? 2 * i : dice_.pick(0, 4);
      alive_.push_back({fresh("slice"), contiguous({unit * 2})});
      Layout layout = alive_.back().declared;
      layout.offset = unit * begin;
      text_.slice(alive_.back().name, pool, layout);
    }
  }

  /// The next tenant of a buffer's memory, by a planner who does not delete the old name.
  void reuse() {
    const Tensor source = dice_.of(alive_);
    alive_.push_back({fresh("tenant"), source.declared});
    text_.bind(Bind::Kind::reuse, alive_.back().name, source.name);
  }

  /// A loop of unknown count; what it carries keeps its name.
  void loop() {
    const std::string count = fresh("iterations");
    text_.symbol(count, 0, 9);
    looped_ = true;
    const std::vector<Tensor> outside = alive_;
    text_.loop(fresh("iteration"), count, [&] {
      if (dice_.one_in(2)) dice_.one_in(3) ? view() : launch();
      if (dice_.one_in(3)) return;
      const Tensor carried = dice_.of(outside);
      const Tensor next{fresh("buf"), carried.declared};
      text_.alloc(next, Init::uninit);
      alive_ = outside;
      alive_.push_back(next);
      launch_into(next);
      text_.bind(Bind::Kind::rename, carried.name, next.name);
    });
    alive_ = outside;
  }

  void alias() {
    const Tensor source = dice_.of(alive_);
    alive_.push_back({fresh("alias"), source.declared});
    text_.bind(Bind::Kind::alias, alive_.back().name, source.name);
  }

  /// Between names of one declared shape; a copy onto another shape may raise (E3), which is not generated.
  void copy() {
    const Tensor from = dice_.of(alive_);
    const Tensor to = dice_.of(alive_);
    if (from.declared.sizes == to.declared.sizes && multi_road_ == 0) text_.copy(from.name, to.name);
  }

  void release() {
    if (alive_.size() < 3) return;
    const auto at = static_cast<std::size_t>(dice_.pick(0, static_cast<int>(alive_.size()) - 1));
    text_.add(model::Free{{alive_[at].name}});
    if (!dice_.one_in(8)) alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void order() {
    if (dice_.one_in(2)) return text_.add(model::Signal{"e", stream()});
    text_.add(model::Wait{"e", stream()});
  }

  void step() {
    const int kind = dice_.pick(0, 18);
    if (kind <= 6 || (calm_ && kind > 12 && kind != 15 && kind != 18)) return launch();
    if (kind <= 8) return extern_call();
    if (kind == 9) return view();
    if (kind == 10) return rename();
    if (kind == 11) return alias();
    if (kind == 12) return copy();
    if (kind == 13) return release();
    if (kind == 14) return order();
    if (kind == 15) return pool();
    if (kind == 18) return looped_ ? extern_call() : loop();
    if (kind == 16) return calm_ ? alias() : reuse();
    alloc(dice_.one_in(4) ? Init::zero : Init::uninit);
  }

  /// C4, C7: the accesses of some roads come in no order, and some are compiled for another element type.
  void unorder(Variant& road) {
    if (!unordered_) return;
    for (Clause& one : road.clauses) {
      if (one.kind == Clause::Kind::read)
        one.within = order_.one_in(2) ? model::Within::in_place : model::Within::unordered;
      if (one.kind == Clause::Kind::write) one.within = model::Within::unordered;
      if (order_.one_in(3)) one.compiled_for = order_.one_in(20) ? model::DType::f64 : model::DType::f32;
    }
  }

  Dice dice_;
  Dice order_;  ///< apart from the other, so that the rest of a program is what its number always meant
  WrapperText text_;
  bool calm_;  ///< half of the programs have little that can go wrong, so that many are safe
  bool unordered_;
  bool symbolic_ = false;
  bool looped_ = false;
  int count_ = 0;
  int multi_road_ = 0;
  std::vector<Tensor> alive_;
};

}  // namespace

model::Program random_wrapper(std::uint64_t seed) { return RandomWrapper(seed).build(); }

}  // namespace bufferproof::differential
