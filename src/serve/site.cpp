#include "serve/site.h"

#include <sys/random.h>

#include <cerrno>
#include <string_view>

#include "base/json/json_writer.h"
#include "base/numbers/read_number.h"

namespace mora::serve {
namespace {

/// "127.0.0.1:4711" and "localhost"; a port is not compared: `ssh -L` may have another one.
bool is_this_machine(std::string_view host) {
  const std::string_view name = host.substr(0, host.find(':'));
  return name == "127.0.0.1" || name == "localhost";
}

/// Takes the same time wherever the texts differ.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

Answer refusal(int status, const std::string& why) {
  return {status, "application/json", "{\"error\": " + json_quote(why) + "}\n"};
}

/// Of a page that a person asked for: a sentence instead of JSON.
Answer page_refusal(int status, const std::string& why) {
  return {status, "text/plain; charset=utf-8", "Mora: " + why + ".\n"};
}

}  // namespace

std::string Query::text(const std::string& name, const std::string& fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() ? fallback : found->second;
}

Result<std::int64_t> Query::integer(const std::string& name, std::int64_t fallback, std::int64_t least,
                                    std::int64_t most) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return fallback;
  std::int64_t value = 0;
  if (!read_number(found->second, value) || value < least || value > most) {
    return fail(ErrorKind::usage,
                "'" + name + "' is no number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

void Site::add(const std::string& name, const std::string& type, Handler handler) {
  entries_[name] = {type, std::move(handler)};
}

void Site::add(const std::string& name, const std::string& type, std::string text) {
  add(name, type, [text = std::move(text)](const Query&) -> Result<std::string> { return text; });
}

void Site::add_question(const std::string& name, const std::string& type, Handler handler) {
  entries_[name] = {type, std::move(handler), true};
}

std::vector<std::string> Site::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) {
    if (!entry.is_question) all.push_back(name);
  }
  return all;
}

Result<std::string> Site::ask(const std::string& name, const Query& query) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return fail(ErrorKind::usage, "there is nothing of this name", name);
  return found->second.handler(query);
}

Answer Site::answer(const Request& request) const {
  if (!is_this_machine(request.host)) return page_refusal(403, "this server answers to 127.0.0.1 and localhost only");
  if (request.method != "GET" && request.method != "HEAD") return refusal(405, "this server can only be read");
  const std::size_t slash = request.path.find('/', 1);
  const std::string token = request.path.substr(0, slash);
  const bool is_page = slash == std::string::npos || slash + 1 == request.path.size();
  if (!same_secret(token, "/" + token_)) {
    const std::string why = "the address lacks the key that `mora view` printed: copy the whole address";
    return is_page ? page_refusal(403, why) : refusal(403, why);
  }
  if (slash == std::string::npos) return page_refusal(404, "the address ends with a slash");
  const auto found = entries_.find(request.path.substr(slash + 1));
  if (found == entries_.end()) return refusal(404, "there is nothing of this name");
  auto body = found->second.handler(request.query);
  if (!body) return refusal(body.error().kind == ErrorKind::usage ? 400 : 500, body.error().text());
  return {200, found->second.type, std::move(*body)};
}

const std::vector<std::pair<std::string, std::string>>& security_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  return headers;
}

Result<std::string> random_token() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    return fail(ErrorKind::system, "there are no random numbers for the address", "", system_reason(errno));
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

}  // namespace mora::serve
