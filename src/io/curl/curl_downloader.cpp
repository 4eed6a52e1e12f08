// Everything that knows libcurl and OpenSSL.
#include <array>
#include <cstdlib>
#include <curl/curl.h>
#include <exception>
#include <openssl/evp.h>
#include <stdexcept>
#include <string_view>

#include "rayleigh/version.h"

#include "io/downloader.h"

namespace rayleigh::io {
namespace {

constexpr long kConnectSeconds = 20;
constexpr long kSlowestBytesPerSecond = 100;
constexpr long kSlowSeconds = 60;
constexpr long kMostRedirects = 10;

struct HandleCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, HandleCloser>;

struct HeaderListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct DigestCloser {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

template <typename Value>
void set(const Handle& handle, CURLoption option, Value value) {
  if (const CURLcode code = curl_easy_setopt(handle.get(), option, value); code != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
  }
}

/// Of the last answer; "" when it is not there.
std::string header(CURL* handle, const char* name) {
  curl_header* found = nullptr;
  return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value
                                                                                  : "";
}

DownloadHead head_of(CURL* handle) {
  DownloadHead head;
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  head.status = static_cast<int>(status);
  curl_off_t bytes = -1;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &bytes);
  if (bytes >= 0) {
    head.bytes = static_cast<std::uint64_t>(bytes);
  }
  head.content_range = header(handle, "Content-Range");
  const std::string tag = header(handle, "ETag");
  head.validator = tag.starts_with('"') ? tag : header(handle, "Last-Modified");
  return head;
}

struct Transfer {
  CURL* handle;
  DownloadSink& sink;
  bool begun = false;
  bool secure = false;  ///< some request of the chain of redirects was
  std::exception_ptr thrown{};

  /// An exception must not pass through libcurl, which is C.
  bool guard(const auto& action) noexcept {
    try {
      return action();
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }
  bool begin() {
    begun = true;
    return guard([this] { return sink.begin(head_of(handle)); });
  }
};

std::size_t receive(char* bytes, std::size_t /*one*/, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (!transfer.begun && !transfer.begin()) {
    return 0;
  }
  const bool taken = transfer.guard([&] {
    transfer.sink.write({bytes, count});
    return true;
  });
  return taken ? count : 0;
}

/// Called before every request. Protocols alone would let http -> https -> http pass.
int refuse_insecure(void* user, char* /*to*/, char* /*from*/, int /*port*/, int /*own_port*/) {
  auto& transfer = *static_cast<Transfer*>(user);
  const char* url = nullptr;
  curl_easy_getinfo(transfer.handle, CURLINFO_EFFECTIVE_URL, &url);
  constexpr std::string_view kSecure = "https:";
  const bool secure = url != nullptr && curl_strnequal(url, kSecure.data(), kSecure.size()) != 0;
  if (transfer.secure && !secure) {
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.secure = secure;
  return CURL_PREREQFUNC_OK;
}

DownloadFailure failure_of(CURLcode code, CURL* handle) {
  switch (code) {
    case CURLE_OK:
      return DownloadFailure::none;
    case CURLE_COULDNT_RESOLVE_HOST:
      return DownloadFailure::unknown_host;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return DownloadFailure::unknown_proxy;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
      return DownloadFailure::no_connection;
    case CURLE_OPERATION_TIMEDOUT:
      return DownloadFailure::timed_out;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ENGINE_INITFAILED:
      return DownloadFailure::tls;
    case CURLE_TOO_MANY_REDIRECTS:
      return DownloadFailure::too_many_redirects;
    case CURLE_UNSUPPORTED_PROTOCOL: {
      long redirects = 0;
      curl_easy_getinfo(handle, CURLINFO_REDIRECT_COUNT, &redirects);
      return redirects > 0 ? DownloadFailure::bad_redirect : DownloadFailure::other;
    }
    case CURLE_ABORTED_BY_CALLBACK:  // by refuse_insecure()
      return DownloadFailure::bad_redirect;
    case CURLE_URL_MALFORMAT:
      return DownloadFailure::bad_address;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return DownloadFailure::cut_off;
    case CURLE_WRITE_ERROR:
      return DownloadFailure::stopped;
    default:
      return DownloadFailure::other;
  }
}

class OpensslSha256 : public Sha256 {
 public:
  OpensslSha256() : context_(EVP_MD_CTX_new()) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void add(std::span<const char> bytes) override {
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::string digest() override {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned length = 0;
    check(EVP_DigestFinal_ex(context_.get(), bytes.data(), &length) == 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * std::size_t{length});
    for (const unsigned byte : std::span(bytes).first(length)) {
      text += kDigits[byte >> 4U];
      text += kDigits[byte & 15U];
    }
    return text;
  }

 private:
  static void check(bool well) {
    if (!well) {
      throw std::runtime_error("OpenSSL cannot compute SHA-256");
    }
  }

  std::unique_ptr<EVP_MD_CTX, DigestCloser> context_;
};

class CurlDownloader : public Downloader {
 public:
  CurlDownloader() { curl_global_init(CURL_GLOBAL_DEFAULT); }

  DownloadResult get(const DownloadRequest& request, DownloadSink& sink) const override {
    const Handle handle(curl_easy_init());
    if (!handle) {
      return {DownloadFailure::other, "libcurl cannot start"};
    }
    Transfer transfer{handle.get(), sink};
    std::array<char, CURL_ERROR_SIZE> words{};
    set(handle, CURLOPT_ERRORBUFFER, words.data());
    set(handle, CURLOPT_WRITEFUNCTION, &receive);
    set(handle, CURLOPT_WRITEDATA, &transfer);
    set(handle, CURLOPT_PREREQFUNCTION, &refuse_insecure);
    set(handle, CURLOPT_PREREQDATA, &transfer);
    set_network(handle, request.url);
    std::unique_ptr<curl_slist, HeaderListCloser> headers;
    if (request.from > 0) {
      // Not CURLOPT_RESUME_FROM: a server that sends all is no mistake here.
      set(handle, CURLOPT_RANGE, (std::to_string(request.from) + "-").c_str());
      headers.reset(curl_slist_append(nullptr, ("If-Range: " + request.validator).c_str()));
      set(handle, CURLOPT_HTTPHEADER, headers.get());
    }

    const CURLcode code = curl_easy_perform(handle.get());
    if (code == CURLE_OK && !transfer.begun) {  // no body
      transfer.begin();
    }
    if (transfer.thrown) {
      std::rethrow_exception(transfer.thrown);
    }
    return {failure_of(code, handle.get()),
            words.front() != '\0' ? words.data() : curl_easy_strerror(code)};
  }

  std::unique_ptr<Sha256> sha256() const override { return std::make_unique<OpensslSha256>(); }

 private:
  static void set_network(const Handle& handle, const std::string& url) {
    const char* protocols = url.starts_with("https:") ? "https" : "http,https";
    set(handle, CURLOPT_URL, url.c_str());
    set(handle, CURLOPT_PROTOCOLS_STR, protocols);
    set(handle, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    set(handle, CURLOPT_FOLLOWLOCATION, 1L);
    set(handle, CURLOPT_MAXREDIRS, kMostRedirects);
    set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    set(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(handle, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    set(handle, CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_USERAGENT, (std::string("rayleigh/") + kVersion).c_str());
    // As the curl command does, for networks with an authority of their own.
    if (const char* authorities = std::getenv("SSL_CERT_FILE"); authorities != nullptr) {
      set(handle, CURLOPT_CAINFO, authorities);
    }
  }
};

}  // namespace
}  // namespace rayleigh::io

extern "C" __attribute__((visibility("default"))) const rayleigh::io::Downloader*
rayleigh_downloader(int version) {
  if (version != rayleigh::io::kDownloaderVersion) {
    return nullptr;
  }
  static const rayleigh::io::CurlDownloader made;
  return &made;
}
