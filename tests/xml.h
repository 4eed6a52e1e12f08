// Checks that XML is well formed: tags balance, attributes are quoted, text is escaped.
// For tests of figures; no validation beyond that.
// One pass.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace rayleigh::test {

/// What is wrong with the first defect, or "".
inline std::string xml_defect(std::string_view xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < xml.size()) {
    if (xml[at] == '&') {
      const auto end = xml.find(';', at);
      if (end == std::string_view::npos || end - at > 6) {
        return "bare & near: " + std::string(xml.substr(at, 30));
      }
    }
    if (xml[at] == '>') {
      return "bare > near: " + std::string(xml.substr(at, 30));
    }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    bool quoted = false;
    while (end < xml.size() && (quoted || xml[end] != '>')) {
      if (xml[end] == '"') {
        quoted = !quoted;
      } else if (xml[end] == '<') {
        return "< inside a tag near: " + std::string(xml.substr(at, 30));
      } else if (!quoted && xml[end] == '=' && (end + 1 >= xml.size() || xml[end + 1] != '"')) {
        return "unquoted attribute near: " + std::string(xml.substr(at, 30));
      }
      ++end;
    }
    if (end >= xml.size()) {
      return "tag without end near: " + std::string(xml.substr(at, 30));
    }
    const auto tag = xml.substr(at + 1, end - at - 1);
    const auto name = std::string(tag.substr(0, tag.find_first_of(" /\n", 1)));
    if (tag.starts_with('/')) {
      if (open.empty() || "/" + open.back() != tag) {
        return "unexpected <" + std::string(tag) + ">";
      }
      open.pop_back();
    } else if (!tag.ends_with('/') && !tag.starts_with('!') && !tag.starts_with('?')) {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace rayleigh::test
