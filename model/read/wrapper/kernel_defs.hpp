// Kernel definitions of a wrapper: `NAME = async_compile.KIND(...)`, decorated functions of re-formatted
// copies.
//
// A kernel is known by its assignment target; the names inside its text may be the generic 'triton_' or
// 'kernel'. Its parameters' roles come from the text as inductor-formats.md 1.3 says: const types (C++),
// parameter names and mutated_arg_names (Triton), the count of outputs (MLIR). What the text computes is read
// elsewhere. Tested by tests/model/read_wrapper_kernels_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"
#include "model/read/python/ast.hpp"

namespace bufferproof::model::wrapper {

/// The definition in `target = value`, where `value` is a call of a method of an AsyncCompile; nullopt if it
/// is none. `docstring`: the string statement before it, or null.
std::optional<KernelDef> kernel_of_call(std::string_view target, const python::Expr& value,
                                        const python::Expr* docstring, const python::Module& module);

/// The definition by a function decorated with @triton.jit or @dvm.kernel; nullopt if it is an ordinary
/// function.
std::optional<KernelDef> kernel_of_function(const python::Stmt& def, const python::Module& module);

/// Parameters of the last `extern "C"` function of C++ text (the one named `kernel` or like the kernel);
/// nullopt if there is none. `const T*` is an input; other pointers are outputs, or in_out by their name; the
/// rest are scalars.
std::optional<std::vector<Parameter>> cpp_parameters(std::string_view text);

/// Parameters of the @triton.jit function in Triton text, constexpr ones left out; nullopt if there is none.
std::optional<std::vector<Parameter>> triton_parameters(const std::string& text);
std::vector<Parameter> triton_parameters(const python::Stmt& def);

/// The role that a Triton parameter's name tells; nullopt for names that Inductor does not generate.
std::optional<Role> role_of_name(std::string_view name);

}  // namespace bufferproof::model::wrapper
