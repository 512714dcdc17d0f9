#include "cube/kept/kept_file.h"

#include <cstring>

#include <xxhash.h>

namespace mora::cube {

namespace {

constexpr std::uint64_t version = 1;

struct Head {  ///< little endian, after the magic
  std::uint64_t version = 0, findings = 0, count = 0, checksum = 0;
  std::int64_t measure = 0;
};

std::uint64_t hash(std::string_view text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

tl::unexpected<Error> unusable(const KeptKind& kind, const std::string& path, const std::string& why) {
  return fail(ErrorKind::unreadable, std::string(kind.what) + " cannot be read", path, why, "run `mora analyze` again");
}

}  // namespace

std::string kept_file_text(const KeptKind& kind, const KeptBody& body, std::string_view findings) {
  const Head head{version, hash(findings), body.count, hash(body.bytes, static_cast<std::uint64_t>(body.measure)),
                  body.measure};
  std::string text(kind.magic);
  text.append(reinterpret_cast<const char*>(&head), sizeof head);
  text += body.bytes;
  return text;
}

Result<KeptBody> read_kept_file(const KeptKind& kind, std::string_view text, const std::string& path,
                                std::string_view findings) {
  Head head;
  if (!text.starts_with(kind.magic)) return unusable(kind, path, "it is no such file of Mora");
  text.remove_prefix(kind.magic.size());
  if (text.size() < sizeof head) return unusable(kind, path, "it is cut");
  std::memcpy(&head, text.data(), sizeof head);
  text.remove_prefix(sizeof head);
  if (head.version != version) return unusable(kind, path, "it is of another version of Mora");
  if (head.findings != hash(findings)) return unusable(kind, path, "it belongs to an older or newer findings.json");
  if (head.checksum != hash(text, static_cast<std::uint64_t>(head.measure))) return damaged_kept_file(kind, path);
  return KeptBody{head.count, head.measure, text};
}

tl::unexpected<Error> damaged_kept_file(const KeptKind& kind, const std::string& path) {
  return unusable(kind, path, "its bytes are damaged");
}

void put_number(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

bool take_number(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace mora::cube
