// Puts the steps of a wrapper's Program together: unique names, what is known of each handle, symbols,
// blocks.
//
// A Python name may be bound many times and by several inlined functions; every handle of the Program gets a
// name of its own ("buf3", then "buf3#2"). Tested through tests/model/read_wrapper_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/program.hpp"
#include "model/read/python/ast.hpp"

namespace bufferproof::model::wrapper {

/// What is known of a handle while the wrapper is followed.
struct HandleInfo {
  std::optional<Layout> layout;  ///< offset counts from the storage's begin
  std::optional<DType> dtype;
  std::string storage;  ///< name under which the storage was made; of a pool slice, its own
  bool pool_slice = false;
};

class ProgramBuilder {
 public:
  /// Bounds of hostile input: inlined functions and nested loops multiply statements.
  static constexpr std::size_t kMostSteps = 500'000;

  ProgramBuilder(Program& program, const python::Module& module);

  // Places.
  void at(python::Position position) { where_ = module_.locate(position); }
  void at(const SourceLocation& where) { where_ = where; }
  const SourceLocation& where() const { return where_; }

  // Names and symbols.
  std::string fresh(const std::string& wanted);
  /// The symbol, made known to the program at its first use. Backed sizes start at 2, unbacked ones at 0.
  SymExpr symbol(std::string_view name);
  SymExpr fresh_symbol(const std::string& wanted, std::int64_t lo, std::optional<std::int64_t> hi);
  Symbol* find_symbol(std::string_view name);
  void assume(const std::string& text);
  void risk(const std::string& label, const std::string& message);

  // Handles.
  HandleInfo& info(const std::string& handle);
  const HandleInfo* find(const std::string& handle) const;
  bool is_input(const std::string& handle) const;
  /// An input whose element type the file does not say takes that of the first kernel parameter it is passed
  /// as.
  void learn_dtype(const std::string& handle, DType dtype);
  /// `constant`: what is stored follows from the program's text and sizes alone, not from its inputs'
  /// elements.
  void note_written(const std::string& handle, bool constant = false);
  bool was_written(const std::string& handle) const { return written_.count(storage_of(handle)) > 0; }
  bool is_constant(const std::string& handle) const { return constants_.count(storage_of(handle)) > 0; }
  std::string storage_of(const std::string& handle) const;

  // Steps.
  void step(decltype(Step::node) node);
  std::string alloc(const std::string& wanted, std::optional<Layout> layout, std::optional<DType> dtype,
                    Init init = Init::uninit);
  /// An input or constant of the program: made before everything else.
  std::string input(const std::string& wanted, std::optional<Layout> layout, std::optional<DType> dtype);
  /// A second handle of an input, as others who hold the caller's tensor have it; made right after the input.
  std::string callers_view(const std::string& input);
  std::string view(const std::string& wanted, const std::string& base, std::optional<Layout> layout,
                   std::optional<DType> dtype, bool absolute_offset = false);
  /// Memory the planner cut from a pool: nobody else's, as the program means it.
  std::string pool_slice(const std::string& wanted, const std::string& pool, const Layout& layout,
                         DType dtype);
  std::string bind(const std::string& wanted, const std::string& source, Bind::Kind kind);
  void free(std::vector<std::string> names);
  void launch(const std::string& kernel, std::vector<Clause> clauses, std::vector<Name> outputs,
              const Name& stream, std::shared_ptr<const LibraryCall> call = nullptr);
  void unsupported(const std::string& what, const std::set<std::string>& touched);

  /// Steps of `fill` go to `block` instead.
  void into(Block& block, const std::function<void()>& fill);
  /// Runs `trial` and forgets what it did to the program.
  void trial(const std::function<void()>& trial);
  /// Puts the inputs in front, numbers and validates.
  void finish();

  Program& program() { return program_; }

 private:
  void forget(const ProgramBuilder& before, std::size_t symbols, std::size_t assumptions, std::size_t risks);

  Program& program_;
  const python::Module& module_;
  SourceLocation where_;
  Block prologue_;
  Block* out_;
  std::size_t steps_ = 0;
  std::unordered_map<std::string, int> uses_;
  std::unordered_map<std::string, HandleInfo> handles_;
  std::map<std::string, std::size_t> inputs_;  ///< -> place in prologue_
  std::set<std::string> written_;
  std::set<std::string> constants_;  ///< storages that were written so, and only so
  std::map<std::string, std::size_t, std::less<>> symbols_;
  std::set<std::string> assumptions_;
};

/// A clause over every element of a handle.
Clause whole(Clause::Kind kind, const std::string& handle);

}  // namespace bufferproof::model::wrapper
