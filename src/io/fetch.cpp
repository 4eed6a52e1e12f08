#include "io/fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "core/resumable_file.h"
#include "core/strict_json.h"
#include "core/text.h"
#include "io/content_range.h"
#include "io/data_folder.h"
#include "io/folder.h"
#include "io/tu_files.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

constexpr int kOk = 200;
constexpr int kPartialContent = 206;
constexpr int kRangeNotSatisfiable = 416;
/// How every zip archive starts.
constexpr std::string_view kZipMark = "PK";
constexpr std::size_t kBlock = std::size_t{1} << 20U;

/// What a part is a part of.
struct PartRecord {
  std::string url;
  std::string validator;               ///< of this version of the file; "" = unknown
  std::optional<std::uint64_t> whole;  ///< bytes of all of it
};

/// Fit to be sent to a server, whoever wrote the file it comes from.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c != '\x7f'; });
}

nlohmann::ordered_json to_json(const PartRecord& record) {
  nlohmann::ordered_json json{{"url", record.url}, {"validator", record.validator}};
  if (record.whole) {
    json["whole"] = *record.whole;
  }
  return json;
}

/// None when it is not known what the bytes of the part belong to: they are of no use then, but no
/// reason to fail either.
std::optional<PartRecord> record_of(const core::ResumableFile& part) {
  try {
    const auto json = part.progress();
    if (!json || !json->contains("url") || !json->contains("validator")) {
      return std::nullopt;
    }
    PartRecord record{json->at("url"), json->at("validator"), std::nullopt};
    if (json->contains("whole")) {
      record.whole =
          core::whole_number(json->at("whole"), std::numeric_limits<std::int64_t>::max(), "whole");
    }
    return is_plain(record.validator) ? std::optional(record) : std::nullopt;
  } catch (const DataError&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::string&) {
    return std::nullopt;
  }
}

/// What is asked for, and where it goes.
struct Job {
  std::string name;
  std::string url;
  const FetchOptions& options;
  core::ResumableFile part;
  std::optional<PartRecord> record;

  std::string file() const { return name + ".zip"; }
  void say(const std::string& text) const { options.say(fmt::format("{}: {}", file(), text)); }
  [[noreturn]] void refuse(const std::string& text) const { throw DataError({url, 0}, text); }
  [[noreturn]] void fail(const std::string& text) const {
    throw Error(ErrorKind::failed, Place{url, 0}, text);
  }

  /// The record, if it is of what is asked for.
  const PartRecord* own_record() const { return record && record->url == url ? &*record : nullptr; }
  bool can_resume() const {
    const PartRecord* own = own_record();
    return own != nullptr && !own->validator.empty() && part.size() > 0 &&
           (!own->whole || part.size() < *own->whole);
  }
  bool is_whole() const {
    const PartRecord* own = own_record();
    return own != nullptr && own->whole && part.size() > 0 && part.size() == *own->whole;
  }
  /// In an order in which no moment has a record of the new beside bytes of the old.
  void start_anew(PartRecord now) {
    part.start_anew();
    part.save(to_json(now));
    record = std::move(now);
  }
  /// For the end of a message: what a next try can build on.
  std::string outlook() const {
    if (part.size() == 0) {
      return {};
    }
    return can_resume() ? fmt::format("; {} are kept, the same command goes on from there",
                                      core::human_bytes(part.size()))
                        : "; the next try starts anew, as the server gives nothing to resume by";
  }
};

/// Takes one answer of the server: appends the rest of a part, or starts the part anew. The part
/// that is there is only given up for something that at least looks like an archive.
class Receiver : public DownloadSink {
 public:
  Receiver(Job& job, std::uint64_t from) : job_(job), from_(from) {}

  bool begin(const DownloadHead& head) override {
    head_ = head;
    if (head.status == kOk) {
      return true;
    }
    if (from_ == 0) {
      return false;
    }
    if (head.status == kPartialContent && continues()) {
      check_room(rest_);
      job_.say(fmt::format("goes on at {}", core::human_bytes(from_)));
      job_.options.expect(rest_);
      appending_ = resumed_ = true;
      return true;
    }
    wrong_part_ = head.status == kPartialContent || head.status == kRangeNotSatisfiable;
    return false;
  }

  void write(std::span<const char> bytes) override {
    if (appending_) {
      append(bytes);
      return;
    }
    opening_.append(bytes.data(), bytes.size());
    if (opening_.size() >= kZipMark.size()) {
      start_whole();
    }
  }

  int status() const { return head_.status; }
  bool resumed() const { return resumed_; }
  /// The server has another part than the one that is missing: ask for everything.
  bool wrong_part() const { return wrong_part_; }
  /// To be called when all of a body has come.
  void check_begun() const {
    if (!appending_) {
      refuse_opening();
    }
  }

 private:
  bool continues() {
    const auto range = parse_content_range(head_.content_range);
    const PartRecord& record = *job_.own_record();
    if (!range || range->first != from_ ||
        (!head_.validator.empty() && head_.validator != record.validator)) {
      return false;
    }
    rest_ = range->last - range->first + 1;
    const auto whole = range->whole ? range->whole : record.whole;
    return (!whole || range->last + 1 == *whole) &&
           (!range->whole || !record.whole || *range->whole == *record.whole);
  }

  void start_whole() {
    if (!opening_.starts_with(kZipMark)) {
      refuse_opening();
    }
    check_room(head_.bytes.value_or(0));
    if (from_ > 0) {
      job_.say(head_.validator == job_.own_record()->validator
                   ? "starts anew, as the server cannot resume"
                   : "starts anew, as it has changed on the server");
    }
    job_.start_anew({job_.url, head_.validator, head_.bytes});
    job_.options.expect(head_.bytes.value_or(0));
    appending_ = true;
    append(opening_);
  }

  [[noreturn]] void refuse_opening() const {
    job_.refuse(opening_.empty()
                    ? std::string("the server sent an empty file, expected a zip archive")
                    : fmt::format("expected a zip archive, but what came starts with '{}': a login "
                                  "page of this network, or a wrong `base-url`?",
                                  core::printable(opening_, 80)));
  }

  void check_room(std::uint64_t bytes) const {
    if (bytes > kLargestDownload) {
      refuse_size(bytes);
    }
    std::error_code error;
    const auto space = fs::space(job_.options.folder, error);
    // A part that starts anew gives its room back.
    const std::uint64_t given_back = head_.status == kOk ? job_.part.size() : 0;
    if (!error && bytes > given_back && bytes - given_back > space.available) {
      throw Error(ErrorKind::failed, Place{job_.options.folder.string(), 0},
                  fmt::format("not enough room: {} needs {}, {} are free; make room or name "
                              "another folder with `data-dir`",
                              job_.file(), core::human_bytes(bytes - given_back),
                              core::human_bytes(space.available)));
    }
  }

  [[noreturn]] void refuse_size(std::uint64_t bytes) const {
    job_.refuse(fmt::format("{} or more, refused: no dataset is larger than {}",
                            core::human_bytes(bytes), core::human_bytes(kLargestDownload)));
  }

  void append(std::span<const char> bytes) {
    if (job_.part.size() + bytes.size() > kLargestDownload) {
      refuse_size(job_.part.size() + bytes.size());
    }
    // Whatever ends the process, the part is as long as it came.
    job_.part.write({bytes.data(), bytes.size()});
    job_.part.flush();
    job_.options.advance(bytes.size());
  }

  Job& job_;
  std::uint64_t from_;
  DownloadHead head_;
  std::uint64_t rest_ = 0;
  std::string opening_;
  bool appending_ = false;
  bool resumed_ = false;
  bool wrong_part_ = false;
};

/// "https://host:80/path" -> "host:80".
std::string host_of(const std::string& url) {
  const auto start = url.find("//") + 2;
  return url.substr(start, url.find('/', start) - start);
}

[[noreturn]] void explain_status(const Job& job, int status) {
  if (status == 404 || status == 410) {
    job.refuse(fmt::format("no dataset {} there (HTTP {}): is it spelt right, capitals and all?{}",
                           job.name, status,
                           job.options.base_url == kTuDatasetsUrl
                               ? " https://chrsmrrs.github.io/datasets lists the names"
                               : ""));
  }
  if (status == 401 || status == 403) {
    job.fail(fmt::format("the server does not give it to us (HTTP {})", status));
  }
  if (status == 429 || status >= 500) {
    job.fail(fmt::format("the server cannot answer now (HTTP {}): try again later{}", status,
                         job.outlook()));
  }
  job.fail(fmt::format("expected the file, but the server answered with HTTP {}", status));
}

/// What went wrong, and what somebody can do about it.
std::string words_for(DownloadFailure failure, const std::string& host) {
  switch (failure) {
    case DownloadFailure::unknown_host:
      return fmt::format("nobody knows the host {}: is there a network, and is the address right?",
                         host);
    case DownloadFailure::unknown_proxy:
      return "the proxy that the environment names is not known: are http_proxy and https_proxy "
             "right?";
    case DownloadFailure::no_connection:
      return fmt::format(
          "no connection to {}: is there a network, and does it ask for a proxy "
          "(https_proxy)?",
          host);
    case DownloadFailure::timed_out:
      return fmt::format("{} does not answer, or too slowly: try again later", host);
    case DownloadFailure::tls:
      return fmt::format(
          "no safe connection to {}: is the clock of this machine right, and does "
          "it know the authority (ca-certificates, SSL_CERT_FILE)?",
          host);
    case DownloadFailure::too_many_redirects:
      return "the server sends us from one address to the next without end";
    case DownloadFailure::bad_redirect:
      return "the server redirects to an address that is not safe: from https only https is "
             "followed";
    case DownloadFailure::bad_address:
      return "this is not an address: correct `base-url`";
    case DownloadFailure::cut_off:
      return "the connection ended before the file did";
    case DownloadFailure::none:
    case DownloadFailure::stopped:
    case DownloadFailure::other:
      break;
  }
  return "the download failed";
}

enum class Answer { whole, resumed, wrong_part };

Answer ask(Job& job, bool resume, const Downloader& downloader) {
  DownloadRequest request{.url = job.url};
  if (resume) {
    request.from = job.part.size();
    request.validator = job.own_record()->validator;
  }
  Receiver receiver(job, request.from);
  const DownloadResult result = downloader.get(request, receiver);
  if (receiver.wrong_part()) {
    return Answer::wrong_part;
  }
  const int status = receiver.status();
  if (status != 0 && status != kOk && !receiver.resumed()) {
    explain_status(job, status);
  }
  if (result.failure != DownloadFailure::none) {
    job.fail(fmt::format("{} ({}){}", words_for(result.failure, host_of(job.url)),
                         core::printable(result.detail, 200), job.outlook()));
  }
  receiver.check_begun();
  return receiver.resumed() ? Answer::resumed : Answer::whole;
}

/// True when the part of an earlier run was of use.
bool complete(Job& job, const Downloader& downloader) {
  if (job.is_whole()) {
    return true;
  }
  const bool resume = job.can_resume();
  if (!resume && job.part.size() > 0) {
    job.say("starts anew, as it is not known what the part that is there belongs to");
  }
  Answer answer = ask(job, resume, downloader);
  if (answer == Answer::wrong_part) {
    job.say("starts anew, as the server sends another part than the one that is missing");
    answer = ask(job, false, downloader);
  }
  if (const auto& bytes = job.own_record()->whole; bytes && job.part.size() != *bytes) {
    job.fail(fmt::format("{} came, but the server spoke of {}{}",
                         core::with_commas(job.part.size()), core::counted(*bytes, "byte"),
                         job.outlook()));
  }
  return answer == Answer::resumed;
}

bool complete_or_leave_nothing_empty(Job& job, const Downloader& downloader) {
  try {
    return complete(job, downloader);
  } catch (...) {
    if (job.part.size() == 0) {
      job.part.discard();
    }
    throw;
  }
}

/// Reads every entry to its end: libzip compares the sums, so that a part that was resumed wrongly
/// is found.
void check_archive(const fs::path& archive, const std::string& name) {
  const std::shared_ptr<const Folder> folder =
      open_zip(archive.string(), ReadOptions().max_expanded_bytes);
  const TuFiles files(folder, archive.string());
  if (files.name() != name) {
    throw DataError({archive.string(), 0},
                    fmt::format("it holds {}, expected {}", files.name(), name));
  }
  std::vector<char> block(kBlock);
  for (std::size_t i = 0; i < folder->files().size(); ++i) {
    const auto source = folder->open(i);
    while (source->read(block) > 0) {
    }
  }
}

/// Without the place, which may be gone when somebody reads it.
std::string reason_of(const Error& error) {
  const std::string place = error.place().text();
  const std::string_view what = error.what();
  return std::string(place.empty() ? what : what.substr(place.size() + 2));
}

std::string sha256_of(const fs::path& path, const Downloader& downloader) {
  const auto sum = downloader.sha256();
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(kBlock);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    sum->add(std::span(block).first(static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) {
    throw Error(ErrorKind::failed, Place{path.string(), 0}, "cannot be read");
  }
  return sum->digest();
}

FetchedDataset describe(const fs::path& path, bool resumed, const Downloader& downloader) {
  return {path, fs::file_size(path), sha256_of(path, downloader), resumed};
}

}  // namespace

std::string checked_base_url(const std::string& url) {
  const auto refuse = [&](const char* expected) {
    throw UsageError("base-url", fmt::format("'{}' is not valid, expected {}",
                                             core::printable(url, 200), expected));
  };
  const auto colon = std::min(url.find("://"), url.size());
  std::string scheme = url.substr(0, colon);
  std::ranges::transform(scheme, scheme.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::string rest = url.substr(colon);
  rest.erase(std::min(rest.find_last_not_of('/') + 1, rest.size()));
  if ((scheme != "https" && scheme != "http") || rest.size() <= std::string_view("://").size()) {
    refuse("https://HOST/FOLDER");
  }
  if (std::ranges::any_of(rest, [](char c) { return c <= ' ' || c == '\x7f' || c == '\\'; }) ||
      rest.find_first_of("?#@") != std::string::npos) {
    refuse("https://HOST/FOLDER without blanks, query or password");
  }
  return scheme + rest;
}

FetchedDataset fetch_dataset(const std::string& name, const FetchOptions& options,
                             const Downloader& downloader) {
  check_dataset_name(name);
  const fs::path target = options.folder / (name + ".zip");
  std::error_code error;
  if (!options.again && fs::exists(target, error)) {
    options.say(fmt::format("{} is already there; `again` downloads it anew",
                            core::printable(target.string(), 300)));
    return describe(target, false, downloader);
  }
  fs::create_directories(options.folder, error);
  if (error) {
    throw Error(ErrorKind::failed, Place{options.folder.string(), 0},
                fmt::format("cannot create the folder: {}", error.message()));
  }
  Job job{.name = name,
          .url = fmt::format("{}/{}.zip", options.base_url, name),
          .options = options,
          .part = core::ResumableFile(target),
          .record = {}};
  job.record = record_of(job.part);
  const bool resumed = complete_or_leave_nothing_empty(job, downloader);
  try {
    check_archive(job.part.part(), name);
  } catch (const DataError& defect) {
    job.part.discard();
    job.refuse(fmt::format("what came is not the dataset {} and was removed: {}", name,
                           reason_of(defect)));
  }
  job.part.finish();
  return describe(target, resumed, downloader);
}

FetchedDataset fetch_dataset(const std::string& name, const FetchOptions& options) {
  return fetch_dataset(name, options, downloader());
}

}  // namespace rayleigh::io
