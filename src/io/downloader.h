// What a network library does for us: one file over HTTP(S) into a sink, and checksums.
// The only implementation uses libcurl and OpenSSL and is a module of its own (curl/), opened by
// the verb that downloads, so that nothing else pays for their start.
// Takes as long as the network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rayleigh::io {

struct DownloadRequest {
  std::string url;  ///< http:// or https://; from https no redirect leads back to http
  /// The first byte wanted; the server is asked to send all when `validator` no longer holds.
  std::uint64_t from = 0;
  std::string validator{};
};

/// What the server says before the body, after all redirects.
struct DownloadHead {
  int status = 0;                        ///< of HTTP
  std::optional<std::uint64_t> bytes{};  ///< of the body
  std::string content_range{};
  /// What tells this version of the file from all others: a strong ETag, else the date of the last
  /// change; "" when the server gives neither.
  std::string validator{};
};

/// May throw; the transfer ends and get() throws the same.
class DownloadSink {
 public:
  DownloadSink() = default;
  virtual ~DownloadSink() = default;
  DownloadSink(const DownloadSink&) = delete;
  DownloadSink& operator=(const DownloadSink&) = delete;

  /// Called once, before the body. False ends the transfer.
  virtual bool begin(const DownloadHead& head) = 0;
  virtual void write(std::span<const char> bytes) = 0;
};

enum class DownloadFailure {
  none,
  unknown_host,
  unknown_proxy,
  no_connection,
  timed_out,  ///< no connection in 20 s, or less than 100 bytes per second for 60 s
  tls,
  too_many_redirects,
  bad_redirect,  ///< from https to http, or to what is neither
  bad_address,
  cut_off,  ///< the connection ended before the body did
  stopped,  ///< the sink wanted no more
  other,
};

struct DownloadResult {
  DownloadFailure failure = DownloadFailure::none;
  std::string detail{};  ///< in the library's words
};

class Sha256 {
 public:
  Sha256() = default;
  virtual ~Sha256() = default;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  virtual void add(std::span<const char> bytes) = 0;
  /// In hexadecimal digits; nothing can be added afterwards.
  virtual std::string digest() = 0;
};

class Downloader {
 public:
  Downloader() = default;
  virtual ~Downloader() = default;
  Downloader(const Downloader&) = delete;
  Downloader& operator=(const Downloader&) = delete;

  /// Returns when all is in the sink or something went wrong. Every status counts as an answer.
  virtual DownloadResult get(const DownloadRequest& request, DownloadSink& sink) const = 0;
  virtual std::unique_ptr<Sha256> sha256() const = 0;
};

/// Changes with every change of the interface: a module of another build is refused.
inline constexpr int kDownloaderVersion = 1;
/// The module's factory, (int version) -> const Downloader*: one for the whole process, or null for
/// another version.
inline constexpr const char* kDownloaderFactory = "rayleigh_downloader";

/// Loads the module on first use. Error that says how to get it when there is none.
const Downloader& downloader();

}  // namespace rayleigh::io
