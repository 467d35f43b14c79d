#include "model/lowering/pointer_use.hpp"

namespace bufferproof::model::lowering {

bool depends_on_data(std::string_view index) { return index.find("tmp") != std::string_view::npos; }

bool is_store(std::string_view text, const PointerSite& site) {
  if (called(text, site.start) == "store") return true;
  if (site.end >= text.size() || text[site.end] != '[') return false;
  const std::size_t at = skip_blanks(text, closing(text, site.end) + 1);
  return at + 1 < text.size() && text[at] == '=' && text[at + 1] != '=';
}

namespace {

/// `auto tmp0 = pointer[...];`, not through a reference.
bool is_loaded_value(std::string_view text, std::size_t at, std::size_t end) {
  if (end >= text.size() || text[end] != '[' || at < 2 || text.substr(at - 2, 2) != "= ") return false;
  const std::size_t line = text.rfind('\n', at) + 1;  // 0 where there is none
  const std::size_t after = skip_blanks(text, closing(text, end) + 1);
  return after < text.size() && text[after] == ';' &&
         text.substr(line, at - line).find('&') == std::string_view::npos;
}

void note_use(std::string_view text, std::size_t at, std::size_t end, PointerUse& use) {
  const bool first = !use.seen;
  use.seen = true;
  const std::string_view call = called(text, at);
  if (call.find("atomic") != std::string_view::npos) {
    use.scatters = true;
  } else if (is_store(text, {at, end})) {
    const std::size_t stop = call == "store" ? argument_end(text, end) : closing(text, end);
    (depends_on_data(text.substr(end, stop - end)) ? use.scatters : use.stores) = true;
  } else {
    use.loads_first = use.loads_first || first;
    use.others = use.others || (call != "load" && call != "loadu" && !is_loaded_value(text, at, end));
  }
}

}  // namespace

PointerUse pointer_use(std::string_view text, std::string_view parameter) {
  PointerUse use;
  for (const auto& [at, end] : pointer_sites(text, parameter)) note_use(text, at, end, use);
  return use;
}

}  // namespace bufferproof::model::lowering
