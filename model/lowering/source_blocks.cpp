#include "model/lowering/source_blocks.hpp"

#include <algorithm>
#include <utility>

#include "model/lowering/source_text.hpp"

namespace bufferproof::model::lowering {
namespace {

using Kind = SourceBlock::Kind;

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : text_(text), at_(std::min(text.find('{', body_start(text)), text.size())) {}

  std::vector<SourceBlock> scan() {
    while (at_ < text_.size()) step();
    governs_no_block();
    return std::move(blocks_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#') {  // a pragma or include, to the end of its line
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '{') {
      open();
    } else if (c == '}') {
      close();
    } else if (c == ';') {
      end_statement();
    } else if (!head("for", Kind::loop) && !head("if", Kind::guard)) {
      if (skip_blanks(text_, at_) == at_) before_ = c;
      ++at_;
    }
  }
  /// `for (...)` and `if (...)` where a statement begins.
  bool head(std::string_view word, Kind kind) {
    const bool begins = before_ == '{' || before_ == '}' || before_ == ';' || before_ == ')';
    if (!begins || text_.substr(at_, word.size()) != word) return false;
    const std::size_t bracket = skip_blanks(text_, at_ + word.size());
    if (bracket >= text_.size() || text_[bracket] != '(') return false;
    const std::size_t end = closing(text_, bracket);
    heads_.push_back({kind, text_.substr(bracket + 1, end - bracket - 1), bracket, text_.size()});
    at_ = std::min(end + 1, text_.size());
    before_ = ')';
    return true;
  }
  void open() {
    const bool follows_heads = !heads_.empty() && before_ == ')';
    if (!follows_heads) governs_no_block();
    if (!follows_heads && before_ != '{' && before_ != '}' && before_ != ';')
      heads_.push_back({Kind::other, {}, at_, text_.size()});
    levels_.push_back(begin_blocks());
    before_ = '{';
    ++at_;
  }
  void close() {
    end_blocks(begin_blocks());  // a statement that is cut off
    if (!levels_.empty()) end_blocks(std::exchange(levels_.back(), {}));
    if (!levels_.empty()) levels_.pop_back();
    before_ = '}';
    ++at_;
  }
  /// A lambda inside a statement that a head without brackets governs: from here on nothing is known.
  void governs_no_block() {
    for (SourceBlock& block : heads_) block.kind = Kind::other;
    begin_blocks();
  }
  /// What `for (...)` without brackets governs ends here.
  void end_statement() {
    end_blocks(begin_blocks());
    before_ = ';';
    ++at_;
  }
  std::vector<std::size_t> begin_blocks() {
    std::vector<std::size_t> begun;
    for (const SourceBlock& block : std::exchange(heads_, {})) {
      begun.push_back(blocks_.size());
      blocks_.push_back(block);
    }
    return begun;
  }
  void end_blocks(const std::vector<std::size_t>& begun) {
    for (const std::size_t block : begun) blocks_[block].close = at_;
  }

  std::string_view text_;
  std::size_t at_;
  char before_ = ';';               ///< the last character of the body that is not blank
  std::vector<SourceBlock> heads_;  ///< whose body has not begun
  std::vector<SourceBlock> blocks_;
  std::vector<std::vector<std::size_t>> levels_;  ///< per open bracket, the blocks it ends
};

}  // namespace

std::vector<SourceBlock> source_blocks(std::string_view text) { return Scanner(text).scan(); }

std::vector<SourceBlock> around(const std::vector<SourceBlock>& blocks, std::size_t at) {
  std::vector<SourceBlock> enclosing;
  for (const SourceBlock& block : blocks)
    if (block.open < at && at < block.close) enclosing.push_back(block);
  return enclosing;
}

}  // namespace bufferproof::model::lowering
