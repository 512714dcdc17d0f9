#include "predict/placement/line_words.h"

#include <fmt/format.h>

namespace mora::predict {

tl::unexpected<Error> bad_word(const std::string& file, std::uint32_t line, const Word& word, std::string expected) {
  return fail(ErrorKind::unreadable, fmt::format("'{}' is not understood", word.text),
              fmt::format("{}:{}:{}", file, line, word.column), std::move(expected));
}

}  // namespace mora::predict
