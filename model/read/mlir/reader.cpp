#include "model/read/mlir/reader.hpp"

#include "model/read/mlir/body_reader.hpp"

namespace bufferproof::model {
namespace {

using mlir::Lexer;
using Kind = mlir::Token::Kind;

class ModuleReader {
 public:
  ModuleReader(std::string_view text, const SourceLocation& origin) : lexer_(text, origin) {}

  std::vector<BodyText> read() {
    while (lexer_.peek().kind != Kind::end) read_item();
    if (depth_ != 0 && !skipped_) lexer_.fail("'}'", "the module is cut off");
    return std::move(bodies_);
  }

 private:
  void read_item() {
    if (lexer_.accept_word("module") || lexer_.accept_word("builtin.module")) return open_module();
    if (lexer_.peek().kind == Kind::hash) return read_alias();
    if (lexer_.peek().is_word("func.func") || lexer_.peek().is_word("func")) return read_function();
    if (lexer_.peek().is_punct("}")) {
      if (depth_ == 0 && !skipped_) lexer_.fail("a function or the end of the text");
      lexer_.take();
      if (depth_ > 0) --depth_;
      return;
    }
    // Globals, target attributes and the like: no computation; a function that needs them says so itself.
    if (lexer_.peek().kind != Kind::word && !skipped_) lexer_.fail("'module', 'func.func' or '}'");
    lexer_.take();
    skipped_ = true;
    lexer_.skip_to_line_word({"func.func", "module"});
  }

  void open_module() {
    if (lexer_.peek().kind == Kind::symbol) lexer_.take();
    if (lexer_.accept_word("attributes")) lexer_.skip_balanced();
    lexer_.expect("{");
    if (++depth_ > 64) lexer_.fail("at most 64 nested modules");
  }

  /// `#map = affine_map<..>`, `#access = [#map, #map]`, `#trait = {..}`, `#loc = loc(..)`: kept as raw text.
  void read_alias() {
    std::string_view name = lexer_.take().text;
    lexer_.expect("=");
    std::size_t begin = lexer_.peek().offset;
    bool bracketed = lexer_.peek().is_punct("[") || lexer_.peek().is_punct("{");
    if (!bracketed) lexer_.take();
    std::string_view inside;
    if (bracketed || lexer_.peek().is_punct("<") || lexer_.peek().is_punct("("))
      inside = lexer_.skip_balanced();
    std::string_view raw = lexer_.text_from(begin, lexer_.peek().offset);
    if (!inside.empty())
      raw = raw.substr(0, static_cast<std::size_t>(inside.data() - raw.data()) + inside.size() + 1);
    if (!raw.empty()) aliases_[name] = raw;
  }

  void read_function() {
    BodyText body;
    lexer_.take();
    body.where = lexer_.here();
    try {
      body.function = mlir::BodyReader(lexer_, aliases_, body.notes).read_function(body.name);
      if (body.function) bodies_.push_back(std::move(body));
    } catch (const UnsupportedBody& error) {
      body.unsupported = BodyUnsupported{error.what(), error.where()};
      bodies_.push_back(std::move(body));
      skipped_ = true;
      lexer_.skip_to_line_word({"func.func", "module"});
    } catch (const OverflowError& error) {
      throw InputError(lexer_.here(), std::string("a size beyond 64 bits: ") + error.what());
    }
  }

  Lexer lexer_;
  mlir::Aliases aliases_;
  std::vector<BodyText> bodies_;
  int depth_ = 0;
  bool skipped_ = false;  ///< part of the text was skipped: brackets need not balance any more
};

}  // namespace

std::vector<BodyText> read_mlir(std::string_view text, const SourceLocation& origin) {
  return ModuleReader(text, origin).read();
}

}  // namespace bufferproof::model
