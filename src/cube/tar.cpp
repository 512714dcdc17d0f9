/// Reads and writes the few header forms that .cubex files use. Every size is checked against the archive's length
/// before it is used.
#include "cube/tar.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace mora::cube {
namespace {

constexpr std::size_t block_size = 512;
constexpr std::uint64_t largest_octal_size = 077777777777;  // 11 octal digits: 8 GiB - 1

struct Field {
  std::size_t offset, length;
};
constexpr Field name_field{0, 100}, mode_field{100, 8}, uid_field{108, 8}, gid_field{116, 8}, size_field{124, 12},
    mtime_field{136, 12}, checksum_field{148, 8}, magic_field{257, 8}, prefix_field{345, 155};
constexpr std::size_t type_offset = 156;

std::string text_of(const char* block, Field f) {
  return std::string(block + f.offset, strnlen(block + f.offset, f.length));
}

/// Octal digits, or base 256 when the first bit is set (GNU).
std::optional<std::uint64_t> number_of(const char* block, Field f) {
  const auto* p = reinterpret_cast<const unsigned char*>(block + f.offset);
  std::uint64_t value = 0;
  if ((p[0] & 0x80) != 0) {
    for (std::size_t i = 1; i < f.length; ++i) {
      if (value >> 56 != 0) return std::nullopt;
      value = value << 8 | p[i];
    }
    return value;
  }
  std::size_t i = 0;
  while (i < f.length && p[i] == ' ') ++i;
  for (; i < f.length && p[i] != 0 && p[i] != ' '; ++i) {
    if (p[i] < '0' || p[i] > '7') return std::nullopt;
    value = value << 3 | static_cast<unsigned>(p[i] - '0');
  }
  return value;
}

std::uint64_t checksum_of(const char* block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block_size; ++i) {
    const bool in_field = i >= checksum_field.offset && i < checksum_field.offset + checksum_field.length;
    sum += in_field ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
};

/// Records are "LENGTH KEY=VALUE\n"; unknown and malformed ones are skipped.
PaxRecords parse_pax(std::string_view text) {
  PaxRecords records;
  while (!text.empty()) {
    std::size_t length = 0, digits = 0;
    while (digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9') {
      length = length * 10 + static_cast<std::size_t>(text[digits++] - '0');
    }
    if (digits == 0 || length < digits + 3 || length > text.size() || text[digits] != ' ') break;
    const std::string_view record = text.substr(digits + 1, length - digits - 2);
    text.remove_prefix(length);
    if (record.starts_with("path=")) records.path = std::string(record.substr(5));
    if (record.starts_with("size=")) {
      std::uint64_t size = 0;
      bool valid = record.size() > 5 && record.size() < 24;
      for (const char c : record.substr(5)) {
        valid = valid && c >= '0' && c <= '9';
        size = size * 10 + static_cast<std::uint64_t>(c - '0');
      }
      if (valid) records.size = size;
    }
  }
  return records;
}

tl::unexpected<Error> damaged(std::size_t offset, std::string why) {
  return fail(ErrorKind::unreadable, "the tar container is damaged", fmt::format("byte {}", offset), std::move(why),
              "the file is cut or was changed: copy it again from where it was written");
}

void put_octal(std::string& block, Field f, std::uint64_t value) {
  const std::string digits = fmt::format("{:0{}o}", value, f.length - 1);
  block.replace(f.offset, f.length - 1, digits);
}

std::string one_header(const std::string& name, std::uint64_t size, char type) {
  std::string block(block_size, '\0');
  block.replace(name_field.offset, std::min(name.size(), name_field.length), name.substr(0, name_field.length));
  put_octal(block, mode_field, 0644);
  put_octal(block, uid_field, 0);
  put_octal(block, gid_field, 0);
  put_octal(block, size_field, size);
  put_octal(block, mtime_field, 0);
  block[type_offset] = type;
  block.replace(magic_field.offset, 8,
                std::string("ustar\0"
                            "00",
                            8));
  block.replace(checksum_field.offset, 8, fmt::format("{:06o}", checksum_of(block.data())) + std::string("\0 ", 2));
  return block;
}

}  // namespace

Result<TarListing> list_tar(std::span<const std::byte> bytes) {
  TarListing listing;
  PaxRecords pending;
  const char* data = reinterpret_cast<const char*>(bytes.data());
  std::size_t at = 0;
  while (at + block_size <= bytes.size()) {
    const char* block = data + at;
    if (std::all_of(block, block + block_size, [](char c) { return c == 0; })) {
      listing.has_end = true;
      return listing;
    }
    const auto checksum = number_of(block, checksum_field);
    const bool good = checksum && *checksum == checksum_of(block);
    if (!good && std::memcmp(block + magic_field.offset, "ustar", 5) != 0) {
      if (at == 0) {
        return fail(ErrorKind::unreadable, "this is no .cubex file", "", "it has no tar header at its begin",
                    "give a CUBE4 result, for example analysis.cubex of an experiment");
      }
      return damaged(at, "no tar header here");
    }
    if (!good) ++listing.bad_checksums;
    auto size = number_of(block, size_field);
    if (!size) return damaged(at + size_field.offset, "the size of a member is not a number");
    const char type = block[type_offset];
    const bool regular = type == '0' || type == 0;
    if (regular && pending.size) size = pending.size;
    const std::size_t begin = at + block_size;
    if (*size > bytes.size() - begin) {
      return damaged(at, fmt::format("a member of {} bytes does not fit into the {} bytes that follow", *size,
                                     bytes.size() - begin));
    }
    const std::span<const std::byte> content = bytes.subspan(begin, *size);
    const std::string_view text(data + begin, *size);
    if (type == 'x') {
      pending = parse_pax(text);
    } else if (type == 'L') {
      pending.path = std::string(text.substr(0, text.find('\0')));
    } else {
      if (regular) {
        std::string name = text_of(block, name_field);
        if (std::string prefix = text_of(block, prefix_field); !prefix.empty() && block[magic_field.offset + 5] == 0) {
          name = prefix + "/" + name;
        }
        if (pending.path) name = *pending.path;
        listing.members.push_back({name.starts_with("./") ? name.substr(2) : name, content});
      }
      pending = {};
    }
    const std::uint64_t padded = (*size + block_size - 1) / block_size * block_size;
    if (padded > bytes.size() - begin) break;  // the last member without its padding
    at = begin + padded;
  }
  if (listing.members.empty())
    return fail(ErrorKind::unreadable, "this is no .cubex file, or a damaged one", "byte 0",
                "a .cubex file is a tar archive; no member was found in it",
                "give analysis.cubex of an experiment, or another tool's .cubex; if it is one, copy it again");
  if (at < bytes.size() && at + block_size > bytes.size()) return damaged(at, "it ends within a header");
  return listing;  // without end blocks: CubeLib leaves them out
}

std::string tar_header(const std::string& name, std::uint64_t size) {
  if (size <= largest_octal_size) return one_header(name, size, '0');
  std::string record;
  for (std::size_t length = 10;; ++length) {  // the length counts itself
    record = fmt::format("{} size={}\n", length, size);
    if (record.size() == length) break;
  }
  return one_header("PaxHeaders/" + name, record.size(), 'x') + record + tar_padding(record.size()) +
         one_header(name, largest_octal_size, '0');
}

std::string tar_padding(std::uint64_t size) { return std::string((block_size - size % block_size) % block_size, '\0'); }

std::string tar_end() { return std::string(2 * block_size, '\0'); }

}  // namespace mora::cube
