/// The form of binary answers (docs/formats/timeline.md): the length of a JSON text as uint32, the text, blanks up to a
/// multiple of 8, then arrays in the order in which the text names them, each at a multiple of 8. Little endian.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace mora::serve {

inline void pad_to_eight(std::string& bytes) { bytes.append((8 - bytes.size() % 8) % 8, ' '); }

inline std::string wire_header(const std::string& json) {
  std::string out(4, '\0');
  const auto length = static_cast<std::uint32_t>(json.size());
  std::memcpy(out.data(), &length, sizeof length);
  out += json;
  pad_to_eight(out);
  return out;
}

template <class T>
void append_array(std::string& out, const std::vector<T>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  pad_to_eight(out);
}

}  // namespace mora::serve
