#include "cli/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/command.hpp"
#include "cli/output_values.hpp"
#include "cli/run_text.hpp"
#include "model/near_name.hpp"

namespace bufferproof::cli {
namespace {

std::int64_t index_number(std::string_view text, const std::string& whole) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0)
    fail_option("--why", fmt::format("expected OUTPUT[I,J,...], found '{}' in '{}'", text, whole));
  return value;
}

void collect_returned(const model::Block& block, std::set<std::string>& into) {
  for (const model::Step& step : block) {
    if (const auto* result = std::get_if<model::Return>(&step.node))
      for (const model::Return::Item& item : result->items)
        if (!item.name.empty()) into.insert(item.name.str());
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_returned(branch->then_block, into);
      collect_returned(branch->else_block, into);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_returned(loop->body, into);
  }
}

std::string element_text(const std::string& buffer, const std::vector<std::int64_t>& element) {
  return element.empty() ? buffer : fmt::format("{}[{}]", buffer, fmt::join(element, ", "));
}

std::string placed(const std::string& name, const model::SourceLocation& where) {
  return where.line > 0 ? fmt::format("{} ({})", name, where.str()) : name;
}

bool ends_badly(const simulator::Explanation& e) { return e.at_fault || e.unknown; }

std::string fault_text(const simulator::WhyLink& link, bool unknown) {
  std::string out;
  if (unknown) {
    out = "which a call of unknown effects left unknown";
  } else {
    out = link.writer.empty() ? "which nothing had written" : "which " + link.writer + " had written";
  }
  if (!link.due.empty()) out += fmt::format("; due from {}", placed(link.due, link.due_where));
  if (link.alloc_where.line > 0) out += fmt::format("; memory of {}", link.alloc_where.str());
  return out;
}

/// How far the link is to be believed, where it is not by element.
std::string doubt_text(const simulator::WhyLink& link) {
  if (link.basis == simulator::WhyBasis::reads)
    return " (what it computes cannot be read: it may rest on all it reads)";
  return link.exact ? "" : " (or another element: which one is decided by contents, or was not followed)";
}

std::string birth_text(const simulator::Explanation& e) {
  const simulator::ValueBirth& birth = *e.birth;
  const std::string& kernel = e.links.back().writer;
  if (birth.op.empty())
    return fmt::format("  {} computes something else of the operands it has in the golden run\n", kernel);
  return fmt::format("  {} makes it of operands that are right: {} by {} ({}), element {} of its result\n",
                     kernel, birth.kind, birth.op, birth.where.str(), element_text("", birth.element));
}

const char* name(simulator::WhyBasis basis) {
  if (basis == simulator::WhyBasis::values) return "values";
  return basis == simulator::WhyBasis::positions ? "positions" : "reads";
}

std::string link_text(const simulator::WhyLink& link) {
  std::string out =
      fmt::format("{} reads {}", placed(link.step == "result" ? "the caller" : link.step, link.where),
                  element_text(link.buffer, link.element));
  if (link.value) out += " = " + number_text(*link.value, model::DType::f64);
  return out + doubt_text(link);
}

}  // namespace

Question parse_question(const std::string& text) {
  const auto bracket = text.find('[');
  Question out{text.substr(0, bracket), {}};
  if (out.output.empty() || (bracket != std::string::npos && text.back() != ']'))
    fail_option("--why", fmt::format("expected OUTPUT[I,J,...], found '{}'", text));
  if (bracket == std::string::npos) return out;
  std::string_view inside(text);
  inside = inside.substr(bracket + 1, text.size() - bracket - 2);
  if (inside.find_first_not_of(' ') == std::string_view::npos) return out;
  for (std::size_t comma = 0; comma != std::string_view::npos; inside.remove_prefix(comma + 1)) {
    comma = inside.find(',');
    out.index.push_back(index_number(inside.substr(0, comma), text));
    if (comma == std::string_view::npos) break;
  }
  return out;
}

std::string spelling(const Question& question) { return element_text(question.output, question.index); }

simulator::Explanation answer(const model::Program& lowered, const model::RunPlan& plan,
                              const Question& question) {
  std::set<std::string> returned;
  collect_returned(lowered.body, returned);
  if (!returned.contains(question.output))
    fail_option("--why", fmt::format("no output is named '{}'; {}", question.output,
                                     model::name_hint(question.output, {returned.begin(), returned.end()})));
  return simulator::explain(lowered, plan, question.output, question.index);
}

std::string blame_text(const simulator::Explanation& e) {
  if (!ends_badly(e) && e.birth) {
    const std::string text = birth_text(e);
    return text.substr(2, text.size() - 3);
  }
  if (!ends_badly(e)) return simulator::innocent_text(e);
  const simulator::WhyLink& last = e.links.back();
  return fmt::format("{} reads {}, {}", placed(last.step == "result" ? "the caller" : last.step, last.where),
                     element_text(last.buffer, last.element), fault_text(last, e.unknown));
}

std::string chain_text(const simulator::Explanation& e) {
  std::string out;
  for (std::size_t i = 0; i < e.links.size(); ++i) {
    const simulator::WhyLink& link = e.links[i];
    const bool fault = i + 1 == e.links.size() && ends_badly(e);
    out += "  " + link_text(link) + ", ";
    if (fault)
      out += fault_text(link, e.unknown);
    else
      out += link.writer.empty() ? "as it was given" : "written by " + link.writer;
    out += "\n";
  }
  if (!ends_badly(e) && e.birth) return out + birth_text(e);
  if (!ends_badly(e)) out += "  " + simulator::innocent_text(e) + "\n";
  return out;
}

Json explanation_json(const simulator::Explanation& e) {
  Json links = Json::array();
  for (const simulator::WhyLink& link : e.links) {
    Json one{{"step", link.step},     {"location", location_json(link.where)},
             {"buffer", link.buffer}, {"element", link.element},
             {"writer", link.writer}, {"basis", name(link.basis)},
             {"exact", link.exact}};
    if (link.value) one["value"] = number_json(*link.value, model::DType::f64);
    if (!link.due.empty()) one["due"] = link.due;
    if (link.due_where.line > 0) one["due_location"] = location_json(link.due_where);
    if (link.alloc_where.line > 0) one["allocation_location"] = location_json(link.alloc_where);
    links.push_back(std::move(one));
  }
  Json out{{"at_fault", e.at_fault}, {"unknown", e.unknown}, {"links", std::move(links)}};
  if (e.birth) {
    out["birth"] = {{"kind", e.birth->kind}, {"op", e.birth->op}, {"element", e.birth->element}};
    if (e.birth->where.line > 0) out["birth"]["location"] = location_json(e.birth->where);
  }
  return out;
}

}  // namespace bufferproof::cli
