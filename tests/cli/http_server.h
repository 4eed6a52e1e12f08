// A small HTTP server in a thread, on a free port of 127.0.0.1, that answers as a test tells it.
// Every connection takes one request and is closed after the answer, however long that claims to
// be.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cctype>
#include <functional>
#include <map>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace rayleigh::test {

struct HttpRequest {
  std::string path;
  std::map<std::string, std::string> headers;  ///< names in small letters
};

/// The bytes as they go over the wire.
struct HttpAnswer {
  std::string bytes;
  bool hold = false;  ///< keep the connection open until the client or the server ends
};

class HttpServer {
 public:
  using Answerer = std::function<HttpAnswer(const HttpRequest&)>;

  HttpServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, plain, length) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, plain, &length) != 0) {
      close(listener_);
      throw std::runtime_error("cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    ending_ = true;
    thread_.join();
    close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(std::string_view scheme = "http") const {
    return std::string(scheme) + "://127.0.0.1:" + std::to_string(port_);
  }
  /// From now on. Runs in the server's thread.
  void answer_with(Answerer answerer) {
    const std::lock_guard lock(mutex_);
    answerer_ = std::move(answerer);
  }
  /// Those since the last call.
  std::vector<HttpRequest> take_requests() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }

 private:
  /// Whether something is to be read, asked until the server ends.
  bool wait_for(int descriptor) const {
    while (!ending_) {
      pollfd wanted{descriptor, POLLIN, 0};
      if (poll(&wanted, 1, 10) > 0) {
        return true;
      }
    }
    return false;
  }

  void serve() {
    while (wait_for(listener_)) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection >= 0) {
        take(connection);
        close(connection);
      }
    }
  }

  void take(int connection) {
    std::string text;
    char block[4096];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = wait_for(connection) ? recv(connection, block, sizeof block, 0) : 0;
      if (got <= 0) {
        return;
      }
      text.append(block, static_cast<std::size_t>(got));
      if (text.starts_with('\x16')) {  // TLS, which we do not speak
        break;
      }
    }
    const HttpRequest request = parse(text);
    Answerer answerer;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      answerer = answerer_;
    }
    const HttpAnswer answer = answerer(request);
    std::string_view left = answer.bytes;
    while (!left.empty()) {
      const ssize_t sent = send(connection, left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;
      }
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    if (answer.hold) {
      wait_for(connection);  // which can only tell that the client has gone
    }
  }

  static HttpRequest parse(const std::string& text) {
    HttpRequest request;
    const auto blank = text.find(' ');
    if (blank != std::string::npos) {
      request.path = text.substr(blank + 1, text.find(' ', blank + 1) - blank - 1);
    }
    for (auto line = text.find("\r\n"); line != std::string::npos && line + 2 < text.size();
         line = text.find("\r\n", line + 2)) {
      const auto end = text.find("\r\n", line + 2);
      const auto colon = text.find(": ", line + 2);
      if (colon == std::string::npos || end == std::string::npos || colon > end) {
        continue;
      }
      auto name = text.substr(line + 2, colon - line - 2);
      std::ranges::transform(name, name.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      request.headers[name] = text.substr(colon + 2, end - colon - 2);
    }
    return request;
  }

  int listener_;
  int port_ = 0;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  Answerer answerer_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

}  // namespace rayleigh::test
