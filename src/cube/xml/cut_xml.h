/// A large XML text without its many elements: those are cut out in runs, each small enough to be parsed alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mora::cube {

struct CutXml {
  static constexpr std::string_view mark = "cut", number = "run";  ///< `<cut run="5"/>` stands where runs[5] was

  std::string rest;
  std::vector<std::string_view> runs;  ///< whole elements, one after the other; views of the text that was cut
};

/// Cuts elements called one of `names` out of the second-level element `<within>`, at least `run_bytes` of them to a
/// run where so many stand side by side. None where the text is no such XML, or one of which no part can be parsed
/// alone: with a document type, with an encoding that is not UTF-8, with a zero byte or an element `<cut>`, or where
/// ends do not belong to beginnings. Reads tags only: whether everything else is XML says who parses rest and runs.
std::optional<CutXml> cut_out(std::string_view xml, std::string_view within, std::span<const std::string_view> names,
                              std::size_t run_bytes);

}  // namespace mora::cube
