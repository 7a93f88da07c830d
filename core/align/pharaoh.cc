#include "align/pharaoh.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace calque::align {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Whether all of `text` is `number-number`; too large a number becomes the largest.
bool parse_link(std::string_view text, Link& link) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const auto number = [](std::string_view digits, int32_t& value) {
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return false;
    }
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc::result_out_of_range) value = INT32_MAX;
    return true;
  };
  return number(text.substr(0, dash), link.source) && number(text.substr(dash + 1), link.target);
}

std::string not_a_link(std::string_view text) {
  constexpr size_t kShown = 40;
  const std::string shown(text.substr(0, kShown));
  return "'" + shown + (text.size() > kShown ? "..." : "") +
         "' is not a link, expected source-target positions such as 0-0";
}

std::string outside(std::string_view text, int64_t n_sources, int64_t n_targets) {
  return "link " + std::string(text.substr(0, 40)) + " is outside the sentence pair, which has " +
         std::to_string(n_sources) + " source and " + std::to_string(n_targets) +
         " target words (positions count from 0)";
}

}  // namespace

ParsedLinks parse_pharaoh(std::string_view text, std::span<const int64_t> source_offsets,
                          std::span<const int64_t> target_offsets) {
  ParsedLinks out;
  const size_t n_lines = source_offsets.size() - 1;
  out.offsets.reserve(n_lines + 1);
  out.links.reserve(text.size() / 4);
  const char* at = text.data();
  const char* const end = at + text.size();
  for (size_t line = 0; line < n_lines && at != end; ++line, ++at) {
    const int64_t n_sources = source_offsets[line + 1] - source_offsets[line];
    const int64_t n_targets = target_offsets[line + 1] - target_offsets[line];
    const auto begin = static_cast<std::ptrdiff_t>(out.links.size());
    while (*at != '\n') {
      if (is_space(*at)) {
        ++at;
        continue;
      }
      const char* stop = at;
      while (*stop != '\n' && !is_space(*stop)) ++stop;
      const std::string_view token(at, static_cast<size_t>(stop - at));
      Link link;
      const bool parsed = parse_link(token, link);
      if (!parsed || link.source >= n_sources || link.target >= n_targets) {
        out.bad_line = static_cast<int64_t>(line);
        out.problem = parsed ? outside(token, n_sources, n_targets) : not_a_link(token);
        return out;
      }
      out.links.push_back(link);
      at = stop;
    }
    std::sort(out.links.begin() + begin, out.links.end());
    out.links.erase(std::unique(out.links.begin() + begin, out.links.end()), out.links.end());
    out.offsets.push_back(static_cast<int64_t>(out.links.size()));
  }
  return out;
}

std::string format_pharaoh(std::span<const Link> links, std::span<const int64_t> offsets) {
  std::string out;
  out.reserve(links.size() * 6 + offsets.size());
  for (size_t n = 0; n + 1 < offsets.size(); ++n) {
    for (int64_t at = offsets[n]; at < offsets[n + 1]; ++at) {
      char text[32];
      char* stop = std::to_chars(text, text + 12, links[at].source).ptr;
      *stop++ = '-';
      stop = std::to_chars(stop, stop + 12, links[at].target).ptr;
      if (at > offsets[n]) out += ' ';
      out.append(text, stop);
    }
    out += '\n';
  }
  return out;
}

}  // namespace calque::align
