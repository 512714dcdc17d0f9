/// A network between nodes that are network namespaces of this machine: each node's packets are delayed and limited by
/// a known latency and bandwidth. For measuring how well a machine model predicts where the truth is known.
///
///     wire LATENCY_US BYTES_PER_S NAMESPACE...
///
/// In each namespace it makes the interface `wire`; it prints `ready`, then forwards until it is told to end. A packet
/// to 10.77.0.N is for the N-th namespace. What a node sends leaves its connection one packet after the other, takes
/// the latency, and what it receives comes over its connection one packet after the other; both at the bandwidth,
/// headers (IP and above) included. Packets are never lost. The clock is the machine's: under other load a packet comes
/// late, so it asks for a real-time priority.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <string>
#include <vector>

namespace {

using Nanoseconds = std::int64_t;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "wire: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

Nanoseconds now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The descriptor of a new interface `wire` in the namespace, in which this process is afterwards.
int interface_in(const std::string& name) {
  const int space = open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) fail("network namespace " + name);
  close(space);
  const int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ifreq request = {};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strcpy(request.ifr_name, "wire");
  if (tun < 0 || ioctl(tun, TUNSETIFF, &request) != 0) fail("/dev/net/tun in " + name);
  return tun;
}

struct Packet {
  Nanoseconds due = 0;
  std::uint64_t number = 0;  ///< those that are due at once keep their order
  std::size_t to = 0;
  std::vector<std::uint8_t> bytes;
  bool operator<(const Packet& other) const { return due != other.due ? due > other.due : number > other.number; }
};

struct Node {
  int tun = -1;
  Nanoseconds sends_until = 0, receives_until = 0;  ///< when its connection is free
};

class Wire {
 public:
  Wire(Nanoseconds latency, double bytes_per_ns, const std::vector<std::string>& names)
      : latency_(latency), bytes_per_ns_(bytes_per_ns), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)) {
    if (timer_ < 0) fail("timerfd_create");
    for (const std::string& name : names) nodes_.push_back({interface_in(name)});
  }

  [[noreturn]] void forward() {
    std::vector<pollfd> files;
    for (const Node& node : nodes_) files.push_back({node.tun, POLLIN, 0});
    files.push_back({timer_, POLLIN, 0});
    for (;;) {
      if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR) fail("poll");
      for (std::size_t from = 0; from < nodes_.size(); ++from) take(from);
      std::uint64_t expired = 0;
      (void)!read(timer_, &expired, sizeof expired);
      deliver();
    }
  }

 private:
  void take(std::size_t from) {
    for (int i = 0; i < 64; ++i) {
      const ssize_t bytes = read(nodes_[from].tun, buffer_.data(), buffer_.size());
      if (bytes < 20) return;
      if (buffer_[0] >> 4 != 4 || buffer_[16] != 10 || buffer_[17] != 77 || buffer_[19] == 0 ||
          buffer_[19] > nodes_.size())
        continue;  // IPv6's own messages, and addresses that nobody has
      const std::size_t to = buffer_[19] - 1u;
      const auto duration = static_cast<Nanoseconds>(static_cast<double>(bytes) / bytes_per_ns_);
      Nanoseconds& sends_until = nodes_[from].sends_until;
      Nanoseconds& receives_until = nodes_[to].receives_until;
      sends_until = std::max(now(), sends_until) + duration;
      // Its first byte comes `latency` after it was sent, its last one not before the connection has carried all.
      receives_until = std::max(sends_until + latency_, receives_until + duration);
      waiting_.push({receives_until, number_++, to, {buffer_.data(), buffer_.data() + bytes}});
    }
  }

  void deliver() {
    while (!waiting_.empty() && waiting_.top().due <= now()) {
      const Packet& packet = waiting_.top();
      (void)!write(nodes_[packet.to].tun, packet.bytes.data(), packet.bytes.size());
      waiting_.pop();
    }
    itimerspec next = {};
    if (!waiting_.empty()) {
      next.it_value.tv_sec = waiting_.top().due / 1'000'000'000;
      next.it_value.tv_nsec = waiting_.top().due % 1'000'000'000;
    }
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &next, nullptr);
  }

  Nanoseconds latency_;
  double bytes_per_ns_;
  int timer_;
  std::vector<Node> nodes_;
  std::priority_queue<Packet> waiting_;
  std::uint64_t number_ = 0;
  std::array<std::uint8_t, 65536> buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  const double latency_us = argc > 3 ? std::strtod(argv[1], nullptr) : -1;
  const double bytes_per_s = argc > 3 ? std::strtod(argv[2], nullptr) : 0;
  if (latency_us < 0 || bytes_per_s <= 0 || argc > 3 + 250) {
    std::fprintf(stderr, "usage: wire LATENCY_US BYTES_PER_S NAMESPACE...\n");
    return 2;
  }
  const sched_param priority = {10};
  sched_setscheduler(0, SCHED_FIFO, &priority);  // if it is allowed
  Wire wire(static_cast<Nanoseconds>(latency_us * 1e3), bytes_per_s * 1e-9, {argv + 3, argv + argc});
  std::printf("ready\n");
  std::fflush(stdout);
  wire.forward();
}
