/// What `mora view` answers, without sockets: a request goes in, an answer comes out.
///
/// Everything is read-only and lies below a random token, so that other users of the machine and other pages in the
/// browser, which do not know it, see nothing. A request whose Host header names another host is refused (a foreign
/// page may have its own name point to 127.0.0.1). Names are looked up in a table: no path reaches the file system.
/// Thread safety: filled by one thread; then answer() may be called from several.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mora::serve {

/// The values behind the question mark of a URL.
class Query {
 public:
  Query() = default;
  explicit Query(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  std::string text(const std::string& name, const std::string& fallback = {}) const;
  /// `fallback` where there is none. Errors (usage): no integer, or not within the limits.
  Result<std::int64_t> integer(const std::string& name, std::int64_t fallback, std::int64_t least,
                               std::int64_t most) const;

 private:
  std::map<std::string, std::string> values_;
};

struct Request {
  std::string method, host;  ///< "GET"; the header, "127.0.0.1:4711"
  std::string path;          ///< decoded, without the query
  Query query;
};

struct Answer {
  int status = 200;
  std::string type, body;  ///< the MIME type; bytes
};

class Site {
 public:
  /// Makes an answer's body. Must be safe from several threads.
  using Handler = std::function<Result<std::string>(const Query&)>;

  /// `token`: letters and digits.
  explicit Site(std::string token) : token_(std::move(token)) {}
  /// "" is the page itself.
  void add(const std::string& name, const std::string& type, Handler handler);
  void add(const std::string& name, const std::string& type, std::string text);
  /// What has no answer without a query.
  void add_question(const std::string& name, const std::string& type, Handler handler);
  /// Of all but questions.
  std::vector<std::string> names() const;

  /// The part of the URL behind the host: "/<token>/".
  std::string root() const { return "/" + token_ + "/"; }
  /// One answer, without a browser. Errors: those of the handler; usage: there is nothing of this name.
  Result<std::string> ask(const std::string& name, const Query& query = {}) const;
  /// 403 for another host or token (as plain text where the page itself is asked for), 404 for an unknown name, 405 for
  /// what is not GET or HEAD, 400 and 500 for what a handler refuses or cannot do: then the body is JSON {"error":
  /// text}.
  Answer answer(const Request& request) const;

 private:
  struct Entry {
    std::string type;
    Handler handler;
    bool is_question = false;
  };
  std::string token_;
  std::map<std::string, Entry> entries_;
};

/// The headers of every answer: nothing but the page's own script and style may run, nothing may be framed or kept.
const std::vector<std::pair<std::string, std::string>>& security_headers();

/// 32 hexadecimal digits of the system's random numbers. Errors (system): it has none.
Result<std::string> random_token();

}  // namespace mora::serve
