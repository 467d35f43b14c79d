// What a Python name of a wrapper can hold while the reader follows its statements.
//
// Tested through tests/model/read_wrapper_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/read/python/ast.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model::wrapper {

struct Value;
using List = std::vector<Value>;

struct Value {
  enum class Kind : std::uint8_t {
    none,
    handle,    ///< `name`: of the handle in the program
    integer,   ///< `number`
    truth,     ///< `truth`
    list,      ///< `items`, shared like a Python list
    inputs,    ///< the argument list of the entry point, before it is unpacked
    sizes,     ///< x.size() or x.stride() of the handle `name`
    text,      ///< a string: `name`
    path,      ///< a dotted name outside the file: `name`, e.g. "torch.ops.aten.mm"
    kernel,    ///< `index` into Program::kernels
    function,  ///< `function`
    stream,    ///< `name`
    event,     ///< `name`
    unknown,   ///< anything else that is no tensor; `name` is its text
  };
  Kind kind = Kind::none;
  bool owned = false;    ///< an element of a list that keeps its handle alive under this name
  bool strides = false;  ///< of `sizes`
  int index = -1;
  std::string name;
  SymExpr number;
  Cond truth;
  std::shared_ptr<List> items;
  const python::Stmt* function = nullptr;

  static Value of(Kind kind, std::string name) {
    Value value;
    value.kind = kind;
    value.name = std::move(name);
    return value;
  }
  static Value handle(std::string name) { return of(Kind::handle, std::move(name)); }
  static Value integer(SymExpr number) {
    Value value;
    value.kind = Kind::integer;
    value.number = std::move(number);
    return value;
  }
  static Value condition(Cond truth) {
    Value value;
    value.kind = Kind::truth;
    value.truth = std::move(truth);
    return value;
  }
  static Value list(List items) {
    Value value;
    value.kind = Kind::list;
    value.items = std::make_shared<List>(std::move(items));
    return value;
  }
  bool is(Kind k) const { return kind == k; }
};

}  // namespace bufferproof::model::wrapper
