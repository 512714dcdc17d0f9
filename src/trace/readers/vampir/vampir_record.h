/// The bytes of VAMPIR binary traces: records, and the values in them.
///
/// Source: the public header of the binary format (binfmt.h of the PARvis and Vampirtrace tools); Wolf 1998, appendix
/// B. Little-endian; integers of 32 bits signed, words of 16 bits unsigned, doubles IEEE 64 bits, strings a word of
/// length and the characters. A file header of 8 bytes; each record: data length (32 bits, without these 6 bytes), type
/// (16 bits), data. Nothing here allocates; all views point into the file's content.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace mora::trace::vampir {

/// Type numbers. Those that are not here have no meaning for Mora.
enum RecordType : std::uint16_t {
  comment = 0,
  creator = 1,
  version = 2,
  unmerged = 5,
  def_token = 10,
  def_symbol = 20,
  def_message_symbol = 30,
  n_cpus = 40,
  cpu_names = 50,
  clock_period = 60,
  exchange = 70,
  send_message = 80,
  receive_message = 90,
  def_cpu_symbol = 100,
  time_offset = 110,
  file_token = 120,
  def_communicator = 250,
  source_info = 32767,
};

inline constexpr std::int32_t no_activity = 0, no_communicator = -0x7fff;

/// First bytes of a file; the reader of the format's authors compares no more than these.
inline constexpr std::string_view magic = "\x55\xAA\xA5\x5A\x42PV";
inline constexpr std::size_t file_header_size = 8, record_header_size = 6;

/// Reads little-endian values off the front of a record's data. Past the end every value is 0 and sound() is false.
class Fields {
 public:
  explicit Fields(std::string_view data) : data_(data) {}
  std::uint16_t word();
  std::int32_t number();
  double real();
  std::string_view string();  ///< Word length, then the characters
  /// A source position: file token and line, if the record ends with one.
  bool source(std::int32_t& file, std::int32_t& line);
  std::size_t left() const { return data_.size(); }
  bool sound() const { return sound_; }

 private:
  std::uint64_t take(std::size_t bytes);
  std::string_view data_;
  bool sound_ = true;
};

struct Record {
  std::uint16_t type = 0;
  std::string_view data;
  std::uint64_t offset = 0;  ///< of the record's header in the file
};

/// Iterates over the records of a file.
class Records {
 public:
  /// `file`: the whole file, with its header.
  explicit Records(std::string_view file)
      : file_(file), at_(file_header_size < file.size() ? file_header_size : file.size()) {}
  /// False at the end, or where a record's length leads behind the end of the file (then cut() is true).
  bool next(Record& record);
  bool cut() const { return at_ != file_.size(); }
  std::uint64_t offset() const { return at_; }

 private:
  void tell(std::size_t until);

  std::string_view file_;
  std::size_t at_, told_ = 0;
};

}  // namespace mora::trace::vampir
