#include "io/folder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <zip.h>

#include "rayleigh/error.h"

#include "core/text.h"
#include "io/limits.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestFileName = 255;

/// As messages show it: on one line, whatever the archive says.
std::string shown(std::string_view file_name) {
  return core::printable(file_name, kLongestFileName);
}

std::unique_ptr<ByteSource> unpack_if_gzip(const std::string& name,
                                           std::unique_ptr<ByteSource> source) {
  if (name.ends_with(".gz")) {
    return gunzip(std::move(source));
  }
  return source;
}

bool is_clutter(std::string_view path, std::string_view file_name) {
  return path.find("__MACOSX/") != std::string_view::npos || file_name.starts_with('.') ||
         file_name.ends_with('~');
}

class Directory : public Folder {
 public:
  explicit Directory(const std::string& path) : path_(path) {
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      std::error_code ignored;
      const auto name = it->path().filename().string();
      if (it->is_regular_file(ignored) && !is_clutter({}, name)) {
        files_.push_back({name, it->file_size(ignored)});
      }
    }
    if (error) {
      throw DataError({path, 0}, fmt::format("cannot read the directory: {}", error.message()));
    }
    std::ranges::sort(files_, {}, &FolderFile::name);
  }

  const std::vector<FolderFile>& files() const override { return files_; }
  std::unique_ptr<ByteSource> open(std::size_t file) const override {
    return open_file((path_ / files_[file].name).string());
  }
  std::string place(std::string_view file_name) const override {
    return (path_ / shown(file_name)).string();
  }

 private:
  fs::path path_;
  std::vector<FolderFile> files_;
};

struct ZipCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ZipHandle = std::unique_ptr<zip_t, ZipCloser>;

struct ZipFileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Where the archive's bytes are.
struct ZipOrigin {
  std::string name;
  std::optional<std::string_view> bytes;  ///< none = the file `name`

  ZipHandle open() const {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = bytes ? zip_source_buffer_create(bytes->data(), bytes->size(), 0, &error)
                                 : zip_source_file_create(name.c_str(), 0, -1, &error);
    ZipHandle archive(source != nullptr ? zip_open_from_source(source, ZIP_RDONLY, &error)
                                        : nullptr);
    if (!archive) {
      const std::string reason = zip_error_strerror(&error);
      zip_error_fini(&error);
      if (source != nullptr) {
        zip_source_free(source);
      }
      throw DataError(
          {name, 0},
          fmt::format("cannot be read as a zip archive (truncated or corrupt?): {}", reason));
    }
    zip_error_fini(&error);
    return archive;
  }

  std::uint64_t size() const {
    std::error_code ignored;
    return bytes ? bytes->size() : fs::file_size(name, ignored);
  }
};

class ZipSource : public ByteSource {
 public:
  ZipSource(std::string name, const ZipOrigin& origin, zip_uint64_t index, std::uint64_t size)
      : ByteSource(std::move(name)), archive_(origin.open()), left_(size) {
    file_.reset(zip_fopen_index(archive_.get(), index, 0));
    if (!file_) {
      fail(zip_strerror(archive_.get()));
    }
  }

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const auto got = zip_fread(file_.get(), buffer.data() + filled, buffer.size() - filled);
      if (got < 0) {
        fail(zip_file_strerror(file_.get()));
      }
      filled += static_cast<std::size_t>(got);
      // libzip checks the sum of an entry but not its size, on which our limits rest.
      if (static_cast<std::uint64_t>(got) > left_ || (got == 0 && left_ > 0)) {
        fail("its size is not what the archive says");
      }
      left_ -= static_cast<std::uint64_t>(got);
      if (got == 0) {
        break;
      }
    }
    return filled;
  }

 private:
  [[noreturn]] void fail(const char* reason) const {
    throw DataError({name(), 0}, fmt::format("the archive entry is damaged: {}", reason));
  }

  ZipHandle archive_;
  std::unique_ptr<zip_file_t, ZipFileCloser> file_;
  std::uint64_t left_;
};

bool leaves_archive(std::string_view path) {
  if (path.starts_with('/')) {
    return true;
  }
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (path.substr(0, slash) == "..") {
      return true;
    }
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return false;
}

class ZipFolder : public Folder {
 public:
  ZipFolder(ZipOrigin origin, std::uint64_t max_expanded_bytes) : origin_(std::move(origin)) {
    if (origin_.size() == 0) {
      throw DataError({origin_.name, 0}, "the file is empty, expected a zip archive (truncated?)");
    }
    const auto archive = origin_.open();
    const auto entries =
        static_cast<zip_uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(archive.get(), 0)));
    std::uint64_t expanded = 0;
    for (zip_uint64_t i = 0; i < entries; ++i) {
      zip_stat_t status;
      zip_stat_init(&status);
      if (zip_stat_index(archive.get(), i, 0, &status) != 0 || status.name == nullptr) {
        throw DataError({origin_.name, 0},
                        fmt::format("entry {} of the archive is damaged", i + 1));
      }
      expanded += add(i, status);
      check_size(expanded, max_expanded_bytes);
    }
  }

  const std::vector<FolderFile>& files() const override { return files_; }
  std::unique_ptr<ByteSource> open(std::size_t file) const override {
    const auto& [name, bytes] = files_[file];
    auto entry = std::make_unique<ZipSource>(place(name), origin_, index_[file], bytes);
    return unpack_if_gzip(name, std::move(entry));
  }
  std::string place(std::string_view file_name) const override {
    return fmt::format("{}/{}", origin_.name, shown(file_name));
  }

 private:
  std::uint64_t add(zip_uint64_t index, const zip_stat_t& status) {
    std::string path = status.name;
    std::ranges::replace(path, '\\', '/');  // as some archivers on Windows write it
    if (leaves_archive(path)) {
      throw DataError({origin_.name, 0},
                      fmt::format("the entry '{}' points outside the archive, expected plain "
                                  "relative paths",
                                  core::printable(path, 80)));
    }
    auto file_name = path.substr(path.rfind('/') + 1);
    if (file_name.empty() || is_clutter(path, file_name)) {
      return 0;
    }
    files_.push_back({std::move(file_name), status.size});
    index_.push_back(index);
    return std::min<std::uint64_t>(status.size, std::uint64_t{1} << 62U);
  }

  void check_size(std::uint64_t expanded, std::uint64_t max_expanded_bytes) const {
    const std::uint64_t packed = origin_.size();
    if (expanded > max_expanded_bytes || is_bomb(expanded, packed)) {
      throw DataError({origin_.name, 0},
                      fmt::format("the archive of {} would expand to more than {}, refused as a "
                                  "zip bomb; unpack it yourself if you trust it",
                                  core::human_bytes(packed),
                                  core::human_bytes(std::min(expanded, max_expanded_bytes))));
    }
  }

  ZipOrigin origin_;
  std::vector<FolderFile> files_;
  std::vector<zip_uint64_t> index_;
};

class MemoryFolder : public Folder {
 public:
  explicit MemoryFolder(std::vector<std::pair<std::string, std::string>> contents)
      : contents_(std::move(contents)) {
    for (const auto& [name, bytes] : contents_) {
      files_.push_back({name, bytes.size()});
    }
  }
  const std::vector<FolderFile>& files() const override { return files_; }
  std::unique_ptr<ByteSource> open(std::size_t file) const override {
    const auto& [name, bytes] = contents_[file];
    return unpack_if_gzip(name, open_memory(place(name), bytes));
  }
  std::string place(std::string_view file_name) const override { return shown(file_name); }

 private:
  std::vector<std::pair<std::string, std::string>> contents_;
  std::vector<FolderFile> files_;
};

}  // namespace

std::unique_ptr<Folder> open_directory(const std::string& path) {
  return std::make_unique<Directory>(path);
}

std::unique_ptr<Folder> open_zip(const std::string& path, std::uint64_t max_expanded_bytes) {
  return std::make_unique<ZipFolder>(ZipOrigin{path, std::nullopt}, max_expanded_bytes);
}

std::unique_ptr<Folder> open_zip_bytes(const std::string& name, std::string_view bytes,
                                       std::uint64_t max_expanded_bytes) {
  return std::make_unique<ZipFolder>(ZipOrigin{name, bytes}, max_expanded_bytes);
}

std::unique_ptr<Folder> open_memory_folder(std::vector<std::pair<std::string, std::string>> files) {
  return std::make_unique<MemoryFolder>(std::move(files));
}

}  // namespace rayleigh::io
