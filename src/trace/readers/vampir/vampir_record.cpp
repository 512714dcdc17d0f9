#include "trace/readers/vampir/vampir_record.h"

#include <bit>

#include "base/interruption.h"

namespace mora::trace::vampir {

std::uint64_t Fields::take(std::size_t bytes) {
  if (data_.size() < bytes) {
    sound_ = false;
    data_ = {};
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(data_[i]);
  data_.remove_prefix(bytes);
  return value;
}

std::uint16_t Fields::word() { return static_cast<std::uint16_t>(take(2)); }
std::int32_t Fields::number() { return static_cast<std::int32_t>(static_cast<std::uint32_t>(take(4))); }
double Fields::real() { return std::bit_cast<double>(take(8)); }

std::string_view Fields::string() {
  const std::size_t length = word();
  if (data_.size() < length) {
    sound_ = false;
    data_ = {};
    return {};
  }
  const std::string_view text = data_.substr(0, length);
  data_.remove_prefix(length);
  return text;
}

bool Fields::source(std::int32_t& file, std::int32_t& line) {
  if (!sound_ || data_.size() < 8) return false;
  file = number();
  line = number();
  return true;
}

/// How far the file is read, its header and what is left at its end included.
void Records::tell(std::size_t until) {
  has_read(until - told_);
  told_ = until;
}

bool Records::next(Record& record) {
  if (at_ > file_header_size) tell(at_);  // a look at the first record is no reading
  const std::string_view rest = file_.substr(at_);
  if (rest.size() < record_header_size) return tell(file_.size()), false;
  Fields header(rest);
  const std::int32_t length = header.number();
  if (length < 0 || static_cast<std::size_t>(length) > rest.size() - record_header_size)
    return tell(file_.size()), false;
  record.type = header.word();
  record.data = rest.substr(record_header_size, static_cast<std::size_t>(length));
  record.offset = at_;
  at_ += record_header_size + static_cast<std::size_t>(length);
  return true;
}

}  // namespace mora::trace::vampir
