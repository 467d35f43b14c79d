// Cutting log prefixes off (see source.hpp).
//
// Forms met, by PyTorch version:
//   2.0    [2023-04-01 12:00:00,123] torch._inductor.graph: [DEBUG] Output code:     and then lines without a
//   prefix 2.1-2  [2023-11-01 12:00:00,123] [0/0] torch._inductor.graph.__output_code: [DEBUG] TEXT 2.3+
//   [rank0]:V0801 12:00:00.123000 1234 torch/_inductor/graph.py:2104] [0/0] [__output_code] TEXT
// What is recognised is the artifact's mark after something that begins like a log record, not the whole
// prefix, which users may change (TORCH_LOGS_FORMAT).
#include "model/read/python/source.hpp"

#include <cctype>
#include <map>
#include <optional>

namespace bufferproof::model::python {
namespace {

bool digits(std::string_view text, std::size_t from, std::size_t count) {
  if (text.size() < from + count) return false;
  for (std::size_t i = from; i < from + count; ++i)
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) return false;
  return true;
}

/// "[rank0]:" and "[default0]:", which torchrun and PyTorch put before a record.
std::size_t rank_length(std::string_view line) {
  if (line.substr(0, 5) != "[rank" && line.substr(0, 8) != "[default") return 0;
  const std::size_t end = line.find("]:");
  return end == std::string_view::npos || end > 24 ? 0 : end + 2;
}

/// Does the line begin as a log record does: "V0801 12:" or "[2023-04-01 "?
bool begins_record(std::string_view line) {
  line.remove_prefix(rank_length(line));
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  if (line.size() < 6) return false;
  if (std::string_view("VDIWEC").find(line.front()) != std::string_view::npos)
    return digits(line, 1, 4) && line[5] == ' ';
  return line.front() == '[' && digits(line, 1, 4) && line[5] == '-';
}

/// A record of the output_code artifact: which process printed it, and where its text begins.
struct Record {
  std::string_view process;
  std::size_t begin = 0;
};

std::string_view process_of(std::string_view line) {
  const std::size_t rank = rank_length(line);
  if (rank > 0) return line.substr(0, rank);
  std::size_t at = 0;  // the third word of "V0801 12:00:00.123000 1234 torch/..." is the process id
  for (int word = 0; word < 2; ++word) {
    at = line.find(' ', at);
    if (at == std::string_view::npos) return {};
    at = line.find_first_not_of(' ', at);
    if (at == std::string_view::npos) return {};
  }
  return digits(line, at, 1) && line.front() != '[' ? line.substr(at, line.find(' ', at) - at)
                                                    : std::string_view{};
}

std::optional<Record> output_code_record(std::string_view line) {
  constexpr std::size_t kLongestPrefix = 400;
  if (!begins_record(line)) return std::nullopt;
  const std::string_view head = line.substr(0, kLongestPrefix);
  for (std::string_view mark : {"[__output_code]", "__output_code: [DEBUG]", "__output_code: [INFO]",
                                "torch._inductor.graph: [DEBUG]", "torch._inductor.graph: [INFO]"}) {
    std::size_t begin = head.find(mark);
    if (begin == std::string_view::npos) continue;
    begin += mark.size();
    if (begin < line.size() && line[begin] == ' ') ++begin;
    return Record{process_of(line), begin};
  }
  return std::nullopt;
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Collects the programs of a log while its lines go by.
class LogSplitter {
 public:
  explicit LogSplitter(std::shared_ptr<const std::string> file) : file_(std::move(file)) {}

  void line(std::string_view text, std::uint32_t number) {
    if (const auto record = output_code_record(text)) {
      follow_ = false;
      take(*record, text, number);
    } else if (begins_record(text)) {
      follow_ = false;
    } else if (follow_) {
      append(follow_process_, text, number, 0);
    }
  }

  std::vector<SourceText> finish() { return std::move(sources_); }

 private:
  void take(const Record& record, std::string_view text, std::uint32_t number) {
    const std::string process(record.process);
    const std::string_view content = text.substr(record.begin);
    if (begins_with(content, "Output code written to:")) {
      open_.erase(process);
    } else if (begins_with(content, "Output code:")) {
      open(process);
      follow_ = true;  // until the next line shows whether lines carry prefixes
      follow_process_ = process;
    } else if (text.find("__output_code") < record.begin) {
      if (!open_.count(process)) open(process);
      append(process, content, number, static_cast<std::uint32_t>(record.begin));
    }
  }

  void open(const std::string& process) {
    sources_.push_back(SourceText{file_, {}, {}});
    open_[process] = sources_.size() - 1;
  }

  void append(const std::string& process, std::string_view text, std::uint32_t number, std::uint32_t cut) {
    SourceText& source = sources_[open_.at(process)];
    source.text.append(text).push_back('\n');
    source.lines.push_back({number, cut});
  }

  std::shared_ptr<const std::string> file_;
  std::vector<SourceText> sources_;
  std::map<std::string, std::size_t> open_;  ///< process -> its program being printed
  bool follow_ = false;                      ///< lines without a prefix belong to the record before them
  std::string follow_process_;
};

template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  std::uint32_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    if (!visit(text.substr(begin, end - begin), number)) return;
    begin = end + 1;
  }
}

bool is_log(std::string_view text) {
  if (text.find("__output_code") == std::string_view::npos &&
      text.find("Output code:") == std::string_view::npos)
    return false;
  bool found = false;
  for_each_line(text, [&](std::string_view line, std::uint32_t) {
    return !(found = output_code_record(line).has_value());
  });
  return found;
}

}  // namespace

Position SourceText::position(std::size_t line, std::size_t column) const {
  if (lines.empty()) return {static_cast<std::uint32_t>(line + 1), static_cast<std::uint32_t>(column + 1)};
  const LineOrigin& origin = lines[std::min(line, lines.size() - 1)];
  return {origin.line, static_cast<std::uint32_t>(origin.cut + column + 1)};
}

SourceLocation SourceText::locate(Position at) const {
  return {file, static_cast<int>(at.line), static_cast<int>(at.column)};
}

std::vector<SourceText> split_sources(std::string text, const std::string& file) {
  auto name = std::make_shared<const std::string>(file);
  if (!is_log(text)) {
    std::vector<SourceText> one;
    one.push_back(SourceText{std::move(name), std::move(text), {}});
    return one;
  }
  LogSplitter splitter(std::move(name));
  for_each_line(text, [&](std::string_view line, std::uint32_t number) {
    splitter.line(line, number);
    return true;
  });
  return splitter.finish();
}

}  // namespace bufferproof::model::python
