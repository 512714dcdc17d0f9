/// The critical path as a result keeps it: piece after piece, without gaps, from the start of the run to its end, in
/// three to six bytes each. docs/formats/critical-path.md has the bytes of the file. Const members from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cube/cube.h"

namespace mora::cube {

/// The critical path is on this location in [from, to).
struct PathPiece {
  LocationId location = 0;
  Nanoseconds from = 0, to = 0;
};

class KeptPath {
 public:
  /// Precondition: the piece begins where the one before it ends.
  void add(const PathPiece& piece);

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return bytes_.size() + marks_.size() * sizeof(Mark); }
  /// Passes the pieces that are on in [from, until), in order.
  template <class Use>
  void each(Nanoseconds from, Nanoseconds until, const Use& use) const {
    for (Reader reader = at(from); reader.next();) {
      if (reader.piece.from >= until) return;
      if (reader.piece.to > from) use(reader.piece);
    }
  }

  /// A file's text, of the path that was found together with these findings (the text of findings.json).
  std::string file_text(std::string_view findings) const;
  /// Errors (unreadable): no such file's text, damaged, of another version; the path of other findings.
  static Result<KeptPath> read(std::string_view text, const std::string& path, std::string_view findings);

 private:
  struct Mark {  ///< before every 1024th piece
    std::size_t byte = 0;
    LocationId location = 0;  ///< of the piece before
    Nanoseconds from = 0;
  };
  struct Reader {
    std::string_view bytes;
    PathPiece piece;
    bool next();  ///< false at the end, and where the bytes are damaged
  };
  Reader at(Nanoseconds from) const;
  void mark(std::size_t byte, const PathPiece& before);

  std::string bytes_;
  std::vector<Mark> marks_;
  std::uint64_t size_ = 0;
  Nanoseconds start_ = 0;
  PathPiece last_;
};

}  // namespace mora::cube
