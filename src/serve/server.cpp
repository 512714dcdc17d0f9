#include "serve/server.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace mora::serve {
namespace {

/// A connection keeps its thread while the browser keeps the connection, and a page has six.
constexpr std::size_t answering_threads = 32;

/// As it is: what the library compresses (Brotli at its highest level) took 0.4 s of each page, to travel on this
/// machine.
void give(Answer made, httplib::Response& out) {
  const auto body = std::make_shared<const std::string>(std::move(made.body));
  if (body->empty()) return out.set_content("", made.type.c_str());
  out.set_content_provider(body->size(), made.type.c_str(),
                           [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                             return sink.write(body->data() + offset, length);
                           });
}

class HttpServer : public Server {
 public:
  explicit HttpServer(const Site& site) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(answering_threads); };
    server_.set_socket_options([](socket_t socket) {  // not SO_REUSEPORT: a taken port is an error
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_payload_max_length(0);
    server_.set_keep_alive_timeout(2);
    server_.set_tcp_nodelay(true);
    const auto answer = [&site](const httplib::Request& in, httplib::Response& out) {
      std::map<std::string, std::string> values(in.params.begin(), in.params.end());
      Answer made = site.answer({in.method, in.get_header_value("Host"), in.path, Query(std::move(values))});
      out.status = made.status;
      for (const auto& [name, value] : security_headers()) out.set_header(name.c_str(), value);
      give(std::move(made), out);
    };
    server_.set_pre_routing_handler([answer](const httplib::Request& in, httplib::Response& out) {
      answer(in, out);
      return httplib::Server::HandlerResponse::Handled;
    });
  }
  ~HttpServer() override = default;

  bool bind(int port) {
    if (port == 0)
      port_ = server_.bind_to_any_port("127.0.0.1");
    else if (server_.bind_to_port("127.0.0.1", port))
      port_ = port;
    return port_ > 0;
  }
  int port() const override { return port_; }
  void run() override {
    server_.listen_after_bind();
    ended_ = true;
  }
  void stop() override {
    // The library forgets a stop before it runs.
    while (!ended_ && !server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server_.stop();
  }

 private:
  httplib::Server server_;
  int port_ = -1;
  std::atomic<bool> ended_{false};
};

}  // namespace

Result<std::unique_ptr<Server>> Server::open(const Site& site, int port) {
  auto server = std::make_unique<HttpServer>(site);
  if (!server->bind(port)) {
    return fail(ErrorKind::system, "the port cannot be used", "127.0.0.1:" + std::to_string(port), "",
                "leave out --port, then a free one is taken");
  }
  return server;
}

}  // namespace mora::serve
