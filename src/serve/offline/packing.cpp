#include "serve/offline/packing.h"

#include <zlib.h>

#include <cstdint>

namespace mora::serve {

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  char block[1 << 16];
  int status = Z_OK;
  do {  // zlib counts what it is given in 32 bits
    constexpr std::size_t piece = std::size_t{1} << 30;
    const std::size_t now = left < piece ? left : piece;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(at));
    stream.avail_in = static_cast<uInt>(now);
    at += now;
    left -= now;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(block);
      stream.avail_out = sizeof block;
      status = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
      out.append(block, sizeof block - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (left > 0);
  deflateEnd(&stream);
  return status == Z_STREAM_END ? out : std::string();
}

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) : 0u;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace mora::serve
