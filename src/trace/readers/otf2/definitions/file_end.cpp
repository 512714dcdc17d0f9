#include "trace/readers/otf2/definitions/file_end.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mora::trace::otf2 {
namespace {

// Marks and records of libotf2's buffers.
constexpr unsigned char end_of_file = 1, end_of_chunk = 2, chunk_header = 3;
constexpr unsigned char timestamp = 5, first_event = 10;  // event files only: below are marks and attribute lists
constexpr unsigned char same_endian = 'B', other_endian = '#', long_length = 0xff;
constexpr std::size_t header_bytes = 18;

std::uint64_t number(const char* at, bool swapped) {
  std::uint64_t n = 0;
  std::memcpy(&n, at, sizeof n);
  return swapped ? __builtin_bswap64(n) : n;
}

/// 0: the files are compressed, or it is not known.
std::uint64_t chunk_bytes(OTF2_Reader* reader, bool of_events) {
  OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
  std::uint64_t events = 0, definitions = 0;
  if (OTF2_Reader_GetCompression(reader, &compression) != OTF2_SUCCESS || compression != OTF2_COMPRESSION_NONE ||
      OTF2_Reader_GetChunkSize(reader, &events, &definitions) != OTF2_SUCCESS)
    return 0;
  return of_events ? events : definitions;
}

/// The last chunk whose header is there, empty if it cannot be read.
std::string last_chunk(const std::string& path, std::uint64_t chunk_bytes) {
  std::error_code failed;
  const std::uint64_t bytes = std::filesystem::file_size(path, failed);
  if (failed || bytes == 0 || chunk_bytes == 0) return {};
  std::uint64_t begin = (bytes - 1) / chunk_bytes * chunk_bytes;
  if (bytes - begin < header_bytes && begin > 0) begin -= chunk_bytes;
  std::string chunk(std::min(bytes - begin, chunk_bytes), '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
  return file ? chunk : std::string{};
}

}  // namespace

FileEnd file_end(OTF2_Reader* reader, const std::string& path, FileKind kind) {
  const bool has_events = kind == FileKind::events;
  const std::string chunk = last_chunk(path, chunk_bytes(reader, has_events));
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(chunk[at]); };
  if (chunk.size() < header_bytes) return {!chunk.empty(), 0};
  if (byte(0) != chunk_header || (byte(1) != same_endian && byte(1) != other_endian)) return {};
  const bool swapped = byte(1) == other_endian;
  std::uint64_t records = has_events ? number(&chunk[2], swapped) - 1 : 0;
  for (std::size_t at = header_bytes; at < chunk.size();) {
    const unsigned char type = byte(at++);
    if (type == end_of_file) return {};
    if (type == end_of_chunk) {
      if (at < chunk.size() && byte(at) == end_of_file) return {};
      break;  // another chunk should follow
    }
    std::uint64_t length = sizeof(std::uint64_t);
    if (!has_events || type != timestamp) {
      if (at == chunk.size()) break;
      length = byte(at++);
      if (length == long_length) {
        if (chunk.size() - at < sizeof length) break;
        length = number(&chunk[at], swapped);
        at += sizeof length;
      }
    }
    if (length > chunk.size() - at) break;
    at += length;
    records += has_events && type >= first_event ? 1 : 0;
  }
  return {true, records};
}

}  // namespace mora::trace::otf2
