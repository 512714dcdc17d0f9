/// Places in source code, as users read them. Pure functions.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace mora {

/// A line of a file; line 0 = unknown.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  auto operator<=>(const SourcePlace&) const = default;
};

/// What stands behind the last '/': "/home/me/ring.c" -> "ring.c".
inline std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// "ring.c:42"; "ring.c" for line 0, which is none; empty without a file.
inline std::string source_place(std::string_view file, std::uint32_t line) {
  std::string text(base_name(file));
  if (!text.empty() && line != 0) text += ':' + std::to_string(line);
  return text;
}

/// "MPI_Recv@ring.c:42", in tables and paths; `what` alone without a file.
inline std::string place_label(std::string_view what, std::string_view file, std::uint32_t line) {
  const std::string place = source_place(file, line);
  return place.empty() ? std::string(what) : std::string(what) + '@' + place;
}

/// "MPI_Recv (ring.c:42)", in sentences; `what` alone without a file.
inline std::string at_source_place(std::string_view what, std::string_view file, std::uint32_t line) {
  const std::string place = source_place(file, line);
  return place.empty() ? std::string(what) : std::string(what) + " (" + place + ")";
}

}  // namespace mora
