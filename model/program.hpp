// What a compiled program is: storages, handles, launches and their order, as plain data.
//
// Both readers produce a Program. A bufprog kernel carries its accesses; a wrapper's launch carries
// arguments, and model/lower.hpp turns it into accesses under a RuntimeProfile, one Variant per road. Checker
// and simulator then interpret the same steps, each on its own. The rules behind every field are in
// docs/buffer-contract.md. Names are the field's: a Storage is memory, a handle a tensor object on it, a name
// refers to a handle (S1, S2). Tested by tests/model/program_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/dtype.hpp"
#include "model/layout.hpp"
#include "model/name.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model {

struct TensorFunction;  // model/tensor_function.hpp
struct LibraryCall;     // model/library_call.hpp

/// A named integer of the program. `hi` empty: no upper bound. `value`: what a run takes when nothing else is
/// said.
struct Symbol {
  std::string name;
  std::int64_t lo = 0;
  std::optional<std::int64_t> hi;
  std::optional<std::int64_t> value;
  SourceLocation where;
};

// ---- element sets
// -----------------------------------------------------------------------------------------------

/// A variable of an index set: lo <= name < hi.
struct BoundVariable {
  std::string name;
  SymExpr lo;
  SymExpr hi;
  bool operator==(const BoundVariable&) const = default;
};

/// Elements of a handle: { index(vars) | vars in their ranges, where }. `whole`: every element of the handle,
/// and nothing else is set.
struct IndexSet {
  bool whole = false;
  std::vector<BoundVariable> variables;
  std::vector<SymExpr> index;  ///< one per axis of the handle
  Cond where = true;
  bool operator==(const IndexSet&) const = default;
};

/// Which producer a read means (C3, C9).
struct From {
  enum class Kind : std::uint8_t {
    any,       ///< any written value
    one_of,    ///< the only contributor is one of `names`
    all_of,    ///< every one of `names` contributed
    exactly,   ///< the contributors are exactly `names`
    intended,  ///< wrappers: the producer the text means, by rule C3
  };
  Kind kind = Kind::any;
  std::vector<Name> names;
  bool operator==(const From&) const = default;
};

// ---- effects
// ----------------------------------------------------------------------------------------------------

/// How an access is ordered among those of its own road (C4): two that are not ordered must not meet in an
/// element.
enum class Within : std::uint8_t {
  ordered,    ///< as the clauses stand: the text is written for it, or nothing is known
  unordered,  ///< iterations run in any order
  in_place,   ///< as unordered, but an iteration loads what it stores: a store of the same layout in the same
              ///< memory is fine
  unclear,    ///< unordered or in_place
};

/// One access of a launch. Clauses of a launch take effect in the order given.
struct Clause {
  enum class Kind : std::uint8_t {
    read,
    write,       ///< must-write: every element of the set is stored (E1)
    accumulate,  ///< atomic read-modify-write, keeps earlier contributors (E8)
    modify,  ///< may store any element of the set: keeps what is defined, defines nothing (index_put_ and the
             ///< like)
    unknown,  ///< effects not known: elements become unknown(step) (E8)
  };
  Kind kind = Kind::read;
  Name buffer;
  IndexSet set;
  From from;                        ///< of a read
  bool relies_on_declared = false;  ///< compiled for the declared layout, not the handle's (E2, C7)
  std::optional<Layout>
      as_layout;  ///< stores through the handle's base pointer with this layout instead (E2)
  /// Of a read: it is not known that every element of the set matters (E1), so what goes wrong in it is
  /// undecided, not refuted.
  bool may = false;
  Within within = Within::ordered;
  /// Of a read through a raw pointer: the element type it was compiled for (C7). nullopt: whatever the
  /// handle's is.
  std::optional<DType> compiled_for;
  bool operator==(const Clause&) const = default;
};

/// A fallback moves the handle to a fresh storage the result lives in (E4, S3). No memory of the old one is
/// written.
struct Rebind {
  Name handle;
  std::optional<Layout> result;  ///< what the handle has afterwards; nullopt: as declared
  std::optional<DType> dtype;    ///< nullopt: as declared
  Name alias_of;     ///< not empty: the result is a view of this argument, `result` is relative to its offset
  int same_as = -1;  ///< >= 0: shares the storage of that earlier Rebind of the same variant
  bool carries = false;  ///< of a view: what is meant is a copy of the argument's elements (C3)
  bool operator==(const Rebind&) const = default;
};

/// One road of a launch.
struct Variant {
  std::string name;       ///< "" for the only road of a bufprog kernel, else "tuned", "fallback", ...
  bool fallback = false;  ///< counts as non-tuned when counterexamples are minimised
  std::vector<Clause> clauses;
  std::vector<Rebind> rebinds;  ///< after all clauses
  std::string raises;  ///< not empty: the launch raises, with this reason, and nothing after it runs (E11)
  bool tunes = false;  ///< the kernel's first launch may run candidates on the real outputs before (E10)
};

// ---- steps
// ------------------------------------------------------------------------------------------------------

struct Step;
using Block = std::vector<Step>;

enum class Init : std::uint8_t { uninit, zero, input, filled };

/// New storage, and a name whose handle spans it. Starts a generation (S4).
struct Alloc {
  Name name;
  std::optional<DType> dtype;  ///< bufprog has none
  std::optional<Layout>
      layout;  ///< nullopt: size unknown (result of a call whose shape the file does not say)
  Init init = Init::uninit;
};

/// New handle on the base's storage. `layout.offset` is added to the base's offset; nullopt layout: the
/// base's own.
struct View {
  Name name;
  Name base;
  std::optional<Layout> layout;
  std::optional<DType> dtype;  ///< reinterprets the bytes
  bool absolute_offset = false;
  bool unknown_layout = false;  ///< an alias whose window the file does not say
  bool pool_slice = false;      ///< memory of its own, cut from a pool by the planner (C3)
};

struct Bind {
  enum class Kind : std::uint8_t {
    alias,       ///< a second name of the same handle (`name c = a`, `buf3 = buf1`)
    new_handle,  ///< a second live handle on the same storage (`same c = a`)
    take,        ///< storage handed over, a is believed dead, older contents are of an earlier life (S4)
    rename,      ///< wrappers: `b = a; del a`: contents carried along, C3 follows the ancestor
    reuse,       ///< wrappers: as rename, but a lives on: names of pool slices are given up with their pool
  };
  Kind kind = Kind::alias;
  Name name;
  Name source;
};

/// The handle moves to the target's storage, layout and life; no memory is written (S3).
struct Point {
  Name handle;
  Name target;
};

struct Argument {
  Name handle;                    ///< empty for a scalar
  std::optional<SymExpr> scalar;  ///< nullopt for a handle
};

struct Launch {
  Name kernel;
  int definition = -1;  ///< index into Program::kernels; -1: bufprog kernel, extern or aten call
  Name stream;
  std::vector<Argument> arguments;  ///< of a wrapper's kernel call, in order
  /// Declared outputs of a wrapper's launch: by contract each is written whole, in its declared layout, on
  /// every road (C1). This is what rule C3 takes for the intended producer. Empty for bufprog.
  std::vector<Name> outputs;
  std::vector<Variant> variants;  ///< never empty once lowered
  /// Launches with the same non-empty choice take the same variant (one kernel object, one road).
  std::string choice;
  /// Of an extern or aten call: what it is called with. Null: not kept, or not a library's.
  std::shared_ptr<const LibraryCall> call;
};

/// Moves values together with their tags. Elements pair up in the order of the two sets.
struct Copy {
  Name stream;
  Name source;
  IndexSet source_set;
  Name destination;
  IndexSet destination_set;
};

struct Free {
  std::vector<Name> names;
};

struct Signal {
  Name event;
  Name stream;
};
struct Wait {
  Name event;
  Name stream;
};
struct HostSync {
  Name stream;
};

struct Branch {
  Cond condition;
  Block then_block;
  Block else_block;
};

/// variable = 0 .. count-1.
struct Loop {
  std::string variable;
  SymExpr count;
  Block body;
};

/// The caller reads. `after_everything`: no ordering question (bufprog `result`); else it reads on `stream`
/// (C4).
struct Return {
  struct Item {
    Name name;
    IndexSet set;
    From from;
  };
  std::vector<Item> items;
  bool after_everything = true;
  Name stream;
};

/// The program asserts what a handle looks like. No data effect.
struct AssertLayout {
  Name name;
  Layout layout;
  std::optional<DType> dtype;
};

/// A statement outside what is understood: everything it names becomes unknown, and no proof may pass over
/// it.
struct Unsupported {
  std::string what;
  std::vector<Name> touched;
};

struct Step {
  int id = -1;  ///< position in a walk of the whole program, set by number_steps
  SourceLocation where;
  std::variant<Alloc, View, Bind, Point, Launch, Copy, Free, Signal, Wait, HostSync, Branch, Loop, Return,
               AssertLayout, Unsupported>
      node;
};

// ---- kernels
// ----------------------------------------------------------------------------------------------------

enum class KernelKind : std::uint8_t {
  cpp,
  triton,
  mlir_auto_fallback,
  import_fx,
  akg_auto_fallback,
  mlir,
  dvm,
  cuda,
  rocm,
  halide,
  other
};

enum class Role : std::uint8_t { input, output, in_out, scalar, workspace };

/// A parameter of a kernel, in call order.
struct Parameter {
  std::string name;
  Role role = Role::input;
  std::optional<DType> dtype;
};

/// A kernel definition of a wrapper: what the file says about it.
struct KernelDef {
  std::string name;  ///< the assignment target
  KernelKind kind = KernelKind::other;
  SourceLocation where;
  std::string text;                         ///< the embedded source, empty if none
  SourceLocation text_where;                ///< where its first character stands
  std::string docstring;                    ///< the FX text above an import_fx
  std::vector<Parameter> parameters;        ///< empty when the kind tells outputs by count only
  std::optional<std::int64_t> num_outputs;  ///< MLIR kinds: the last num_outputs arguments are outputs
  std::vector<std::int64_t> mutated_indices;
  bool dynamic = false;
  std::optional<std::int64_t> num_call_functions;
  std::string traced_graph_hash;
  std::shared_ptr<const TensorFunction> body;     ///< what the tuned kernel computes, if its text is readable
  std::shared_ptr<const TensorFunction> fx_body;  ///< what the fallback computes
  std::string body_unsupported;                   ///< why `body` is missing although there is a text
};

// ---- the program
// ------------------------------------------------------------------------------------------------

/// A dangerous pattern without a state in the rules: reported with its evidence, not replayed.
struct Risk {
  std::string label;  ///< B3, B7, B8, B9, ...
  std::string message;
  SourceLocation where;
};

enum class Dialect : std::uint8_t { bufprog, wrapper };

struct Program {
  Dialect dialect = Dialect::bufprog;
  std::string file;
  std::vector<Symbol> symbols;
  std::vector<KernelDef> kernels;
  Block body;
  std::vector<std::string> assumptions;  ///< what a proof about this program rests on
  std::vector<Risk> risks;

  const Symbol* find_symbol(std::string_view name) const;
  const KernelDef* find_kernel(std::string_view name) const;
};

/// Numbers all steps in textual order, blocks after their statement; returns how many there are.
int number_steps(Program& program);
int number_steps(Block& block);

/// Raises InputError when a structural promise of this header does not hold (strides without sizes, index
/// rank 0 with variables, empty names, a definition index outside kernels, ranges with hi < lo).
void validate(const Program& program);

/// The rebind by which a road hands over, as `output`, a view that carries the elements of an argument that
/// is no output of the launch; nullptr: none. They are right as long as the argument's are (C3).
const Rebind* view_handed_over(const Launch& launch, const Variant& road, const Name& output);

}  // namespace bufferproof::model
