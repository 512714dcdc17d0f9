/// A Site on a port of 127.0.0.1. Uses cpp-httplib, in one unit.
#pragma once

#include <memory>

#include "serve/site.h"

namespace mora::serve {

class Server {
 public:
  /// `port` 0: any free one. From here on connections wait; they are answered after run(). Errors (system): the port is
  /// taken.
  static Result<std::unique_ptr<Server>> open(const Site& site, int port);
  virtual ~Server() = default;
  virtual int port() const = 0;  ///< the one that was taken
  /// Answers until stop(), which any thread may call.
  virtual void run() = 0;
  virtual void stop() = 0;
};

}  // namespace mora::serve
