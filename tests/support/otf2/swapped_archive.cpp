#include "support/otf2/swapped_archive.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "base/file.h"

namespace mora::trace {
namespace {

/// Fields of a record: i an integer, b a byte, s a string, l a list of integers with its length before it.
using Layouts = std::map<std::uint8_t, const char*>;

const Layouts definitions = {{0x05, "iiii"},  {0x0a, "is"},          {0x0c, "iiii"},    {0x0d, "iibii"},
                             {0x0e, "iibii"}, {0x0f, "iiibiiiibbi"}, {0x12, "iiblbbi"}, {0x16, "iiiii"}};
const Layouts events = {{0x0c, "i"}, {0x0d, "i"}, {0x0e, "iiii"}, {0x12, "iiii"}, {0x35, "bi"},
                        {0x36, "b"}, {0x37, "i"}, {0x38, "i"},    {0x3f, "ii"}};

class Swapper {
 public:
  explicit Swapper(const std::string& path) : path_(path), bytes_(read_file(path).value()) {}

  void chunk(const Layouts& layouts, bool with_events) {
    header();
    word(2);
    word(10);
    at_ = 18;
    while (at_ < bytes_.size()) {
      const std::uint8_t type = byte(at_++);
      if (type == 1 || type == 2) continue;  // end of buffer, of file
      if (with_events && type == 5) {
        word(at_);
        at_ += 8;
        continue;
      }
      const auto layout = layouts.find(type);
      if (layout == layouts.end()) throw std::runtime_error(path_ + ": unknown record");
      const bool bare = with_events && (type == 0x0c || type == 0x0d);
      const std::size_t end = bare ? 0 : at_ + 1 + byte(at_);
      if (!bare) ++at_;
      for (const char* field = layout->second; *field != 0; ++field) one(*field);
      if (!bare && at_ != end) throw std::runtime_error(path_ + ": another layout");
    }
    write();
  }

  void anchor() {
    header();
    for (const std::size_t at : {0x0c, 0x14, 0x1e, 0x26}) word(at);  // chunk sizes, numbers of locations, definitions
    at_ = 0x2e;
    for (int text = 0; text < 3; ++text) one('s');  // machine, creator, description
    word(at_ + 4);                                  // identity, behind the number of properties
    write();
  }

 private:
  std::uint8_t byte(std::size_t at) const { return static_cast<std::uint8_t>(bytes_.at(at)); }
  void reverse(std::size_t at, std::size_t n) {
    if (at + n > bytes_.size()) throw std::runtime_error(path_ + ": too short");
    std::reverse(bytes_.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes_.begin() + static_cast<std::ptrdiff_t>(at + n));
  }
  void word(std::size_t at) { reverse(at, 8); }
  void header() {
    if (bytes_.size() < 18 || byte(0) != 3 || bytes_[1] != 'B')
      throw std::runtime_error(path_ + ": no little-endian file");
    bytes_[1] = '#';
  }
  std::size_t integer() {
    const std::size_t n = byte(at_++);
    if (n == 0xff) return 0;
    std::size_t value = 0;
    for (std::size_t i = n; i-- > 0;) value = value << 8 | byte(at_ + i);
    reverse(at_, n);
    at_ += n;
    return value;
  }
  void one(char field) {
    switch (field) {
      case 'i':
        integer();
        break;
      case 'b':
        ++at_;
        break;
      case 's':
        at_ = bytes_.find('\0', at_) + 1;
        break;
      default:
        for (std::size_t n = integer(); n > 0; --n) integer();
    }
  }
  void write() {
    if (!write_file_atomically(path_, bytes_)) throw std::runtime_error(path_ + ": cannot be written");
  }

  std::string path_, bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void swap_byte_order(const std::string& directory) {
  Swapper(directory + "/traces.otf2").anchor();
  Swapper(directory + "/traces.def").chunk(definitions, false);
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/traces")) {
    const bool holds_events = entry.path().extension() == ".evt";
    Swapper(entry.path().string()).chunk(holds_events ? events : definitions, holds_events);
  }
}

}  // namespace mora::trace
