// rayleigh fetch against a server of our own: what arrives, what is resumed, what is refused.
// Skipped with a line where the module was not built.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/child_process.h"
#include "cli/http_server.h"
#include "cli/run_command.h"
#include "io/io_support.h"
#include "support.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// An archive of some thousand bytes that do not compress: the set X in a folder, as real ones are.
std::string archive(const std::string& name = "X", unsigned seed = 1) {
  Files files;
  for (const auto& [file, text] : small_tu()) {
    files.emplace_back(fmt::format("{0}/{0}{1}", name, file.substr(1)), text);
  }
  std::string noise;
  for (unsigned i = 0, state = seed; i < 20'000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise += static_cast<char>(state >> 24U);
  }
  files.emplace_back(name + "/README.txt", noise);
  return zip_bytes(files);
}

std::string answer(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nConnection: close\r\n" + headers + "\r\n" + body;
}

/// Like a web server with a file: knows Range and If-Range, and may break off the body.
struct WebFile {
  std::string bytes = archive();
  std::string tag = "\"one\"";
  std::size_t breaks_at = std::string::npos;  ///< bytes of a body after which it closes
  bool ranges = true;

  HttpAnswer operator()(const HttpRequest& request) const {
    const auto range = request.headers.find("range");
    const auto condition = request.headers.find("if-range");
    std::size_t from = 0;
    if (ranges && range != request.headers.end() && condition != request.headers.end() &&
        condition->second == tag) {
      from = std::stoul(range->second.substr(std::string("bytes=").size()));
    }
    const auto body = bytes.substr(from);
    std::string headers = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    if (!tag.empty()) {
      headers += "ETag: " + tag + "\r\n";
    }
    if (from > 0) {
      headers += "Content-Range: bytes " + std::to_string(from) + "-" +
                 std::to_string(bytes.size() - 1) + "/" + std::to_string(bytes.size()) + "\r\n";
    }
    return {
        answer(from > 0 ? "206 Partial Content" : "200 OK", headers, body.substr(0, breaks_at))};
  }
};

class FetchVerb : public testing::Test {
 protected:
  void SetUp() override {
    setenv("RAYLEIGH_DATA", (folder_ / "data").c_str(), 1);
    setenv("no_proxy", "127.0.0.1", 1);
    unsetenv("RAYLEIGH_TU_URL");
    const auto probe = run_command("fetch X --base-url http://127.0.0.1:1");
    if (probe.err.find("librayleigh_fetch.so") != std::string::npos) {
      GTEST_SKIP() << "skipped, built without libcurl: " << probe.err;
    }
  }
  void TearDown() override { unsetenv("RAYLEIGH_DATA"); }

  CommandResult fetch(const std::string& flags = {}, const std::string& name = "X") const {
    return run_command("fetch " + name + " --base-url " + server_.url() + "/sets/ " + flags);
  }
  /// Leaves the first `bytes` of the file as a part.
  void fetch_beginning(WebFile web, std::size_t bytes) {
    web.breaks_at = bytes;
    server_.answer_with(web);
    EXPECT_EQ(fetch().exit_code, 1);
    EXPECT_EQ(read_text(file(".part")), web.bytes.substr(0, bytes));
    EXPECT_FALSE(exists());
    server_.take_requests();
  }
  std::filesystem::path file(const std::string& ending = {}) const {
    return folder_ / "data" / ("X.zip" + ending);
  }
  bool exists(const std::string& ending = {}) const {
    return std::filesystem::exists(file(ending));
  }
  void expect_only_the_file(const std::string& bytes) const {
    EXPECT_TRUE(read_text(file()) == bytes);
    EXPECT_FALSE(exists(".part"));
    EXPECT_FALSE(exists(".progress"));
  }
  void expect_nothing() const {
    EXPECT_FALSE(exists());
    EXPECT_FALSE(exists(".part"));
    EXPECT_FALSE(exists(".progress"));
  }
  /// One line that names the address.
  void expect_line(const CommandResult& result, int exit_code, const std::string& words) const {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith(server_.url() + "/sets/X.zip: "));
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  TemporaryFolder folder_;
  HttpServer server_;
};

TEST_F(FetchVerb, BringsADatasetThatVerbsTakeByName) {
  const WebFile web;
  server_.answer_with(web);
  const auto before = run_command("inspect X");
  EXPECT_EQ(before.exit_code, 3);
  EXPECT_THAT(before.err, HasSubstr("`rayleigh fetch X` would download it"));
  EXPECT_TRUE(server_.take_requests().empty());

  const auto fetched = fetch();
  ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
  EXPECT_THAT(fetched.out, testing::MatchesRegex("X\\.zip  " + std::to_string(web.bytes.size()) +
                                                 "  sha256:[0-9a-f]+\n"));
  EXPECT_EQ(fetched.err, "");
  expect_only_the_file(web.bytes);
  const auto requests = server_.take_requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].path, "/sets/X.zip");
  EXPECT_FALSE(requests[0].headers.contains("range"));

  const auto inspected = run_command("inspect X --format json");
  ASSERT_EQ(inspected.exit_code, 0) << inspected.err;
  EXPECT_EQ(json::parse(inspected.out)["name"], "X");
}

TEST_F(FetchVerb, ChecksumIsThatOfTheFile) {
  if (std::system("sha256sum --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "skipped: no sha256sum here";
  }
  server_.answer_with(WebFile());
  const auto fetched = fetch("--format json");
  ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
  const auto rows = json::parse(fetched.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["name"], "X");
  EXPECT_EQ(rows[0]["path"], file().string());
  EXPECT_EQ(rows[0]["bytes"], WebFile().bytes.size());
  EXPECT_EQ(rows[0]["resumed"], false);
  const auto line = "test \"$(sha256sum <" + file().string() + ")\" = \"" +
                    rows[0]["sha256"].get<std::string>() + "  -\"";
  EXPECT_EQ(std::system(line.c_str()), 0) << line;
}

TEST_F(FetchVerb, LeavesWhatIsThereAndFetchesAgainWhenTold) {
  WebFile web;
  server_.answer_with(web);
  const auto first = fetch();
  const auto second = fetch();
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(second.out, first.out);
  EXPECT_THAT(second.err, HasSubstr("already there; --again"));
  EXPECT_EQ(server_.take_requests().size(), 1U);

  web.bytes = archive("X", 2);
  server_.answer_with(web);
  const auto third = fetch("--again");
  EXPECT_EQ(third.exit_code, 0) << third.err;
  EXPECT_NE(third.out, first.out);
  expect_only_the_file(web.bytes);
  server_.answer_with([](const HttpRequest&) { return HttpAnswer{answer("404 No", "", "")}; });
  EXPECT_EQ(fetch("--again").exit_code, 3);
  expect_only_the_file(web.bytes);
}

TEST_F(FetchVerb, GoesOnWhereAnEarlierRunEnded) {
  const WebFile web;
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{5000}, web.bytes.size() - 1}) {
    fetch_beginning(web, bytes);
    server_.answer_with(web);
    const auto resumed = fetch("--format json");
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(json::parse(resumed.out)[0]["resumed"], true);
    EXPECT_THAT(resumed.err, HasSubstr("goes on at "));
    expect_only_the_file(web.bytes);
    const auto requests = server_.take_requests();
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].headers.at("range"), "bytes=" + std::to_string(bytes) + "-");
    EXPECT_EQ(requests[0].headers.at("if-range"), web.tag);
    std::filesystem::remove(file());
  }
}

TEST_F(FetchVerb, SaysWhatIsKeptWhenTheConnectionEnds) {
  WebFile web;
  web.breaks_at = 5000;
  server_.answer_with(web);
  expect_line(fetch(), 1, "5.0 kB are kept, the same command goes on from there");
  EXPECT_TRUE(exists(".progress"));
  web.breaks_at = 100;
  server_.answer_with(web);
  EXPECT_EQ(fetch().exit_code, 1);
  EXPECT_EQ(read_text(file(".part")), web.bytes.substr(0, 5100));
}

TEST_F(FetchVerb, StartsAnewWhenTheFileHasChanged) {
  WebFile web;
  fetch_beginning(web, 5000);
  web.bytes = archive("X", 2);
  web.tag = "\"two\"";
  server_.answer_with(web);
  const auto fetched = fetch("--format json");
  ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
  EXPECT_EQ(json::parse(fetched.out)[0]["resumed"], false);
  EXPECT_THAT(fetched.err, HasSubstr("starts anew, as it has changed on the server"));
  expect_only_the_file(web.bytes);
}

TEST_F(FetchVerb, StartsAnewWhereTheServerCannotResume) {
  WebFile web;
  web.ranges = false;
  fetch_beginning(web, 5000);
  server_.answer_with(web);
  const auto fetched = fetch();
  ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
  EXPECT_THAT(fetched.err, HasSubstr("starts anew, as the server cannot resume"));
  expect_only_the_file(web.bytes);
}

TEST_F(FetchVerb, NeverResumesWithoutAStrongValidator) {
  for (const std::string tag : {"", "W/\"weak\""}) {
    WebFile web;
    web.tag = tag;
    web.breaks_at = 5000;
    server_.answer_with(web);
    expect_line(fetch(), 1, "the next try starts anew");
    server_.take_requests();
    web.breaks_at = std::string::npos;
    server_.answer_with(web);
    const auto fetched = fetch();
    ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
    EXPECT_FALSE(server_.take_requests().at(0).headers.contains("range"));
    expect_only_the_file(web.bytes);
    std::filesystem::remove(file());
  }
}

TEST_F(FetchVerb, ResumesByTheDateOfTheLastChange) {
  const std::string bytes = archive();
  const std::string date = "Wed, 01 Jan 2020 00:00:00 GMT";
  const std::string headers = "Last-Modified: " + date + "\r\nETag: W/\"weak\"\r\n";
  server_.answer_with([&](const HttpRequest&) {
    return HttpAnswer{answer("200 OK",
                             headers + "Content-Length: " + std::to_string(bytes.size()) + "\r\n",
                             bytes.substr(0, 100))};
  });
  EXPECT_EQ(fetch().exit_code, 1);
  server_.take_requests();
  server_.answer_with([&](const HttpRequest&) {
    return HttpAnswer{answer("206 Partial Content",
                             headers + "Content-Range: bytes 100-" +
                                 std::to_string(bytes.size() - 1) + "/" +
                                 std::to_string(bytes.size()) + "\r\n",
                             bytes.substr(100))};
  });
  EXPECT_EQ(fetch().exit_code, 0);
  EXPECT_EQ(server_.take_requests().at(0).headers.at("if-range"), date);
  expect_only_the_file(bytes);
}

TEST_F(FetchVerb, AsksForEverythingWhenAnotherPartComes) {
  const WebFile web;
  const auto size = std::to_string(web.bytes.size());
  for (const std::string& wrong :
       {"Content-Range: bytes 4999-" + std::to_string(web.bytes.size() - 1) + "/" + size + "\r\n",
        std::string("Content-Range: x\r\n"), std::string(),
        "Content-Range: bytes 5000-20000/" + size + "\r\n",
        "ETag: \"two\"\r\nContent-Range: bytes 5000-" + std::to_string(web.bytes.size() - 1) + "/" +
            size + "\r\n"}) {
    for (const char* status : {"206 Partial Content", "416 Range Not Satisfiable"}) {
      fetch_beginning(web, 5000);
      server_.answer_with([&](const HttpRequest& request) {
        return request.headers.contains("range") ? HttpAnswer{answer(status, wrong, "garbage")}
                                                 : web(request);
      });
      const auto fetched = fetch();
      EXPECT_EQ(fetched.exit_code, 0) << fetched.err;
      EXPECT_THAT(fetched.err, HasSubstr("another part than the one that is missing"));
      expect_only_the_file(web.bytes);
      std::filesystem::remove(file());
    }
  }
}

TEST_F(FetchVerb, FindsThatAResumedFileIsNotOfOnePiece) {
  WebFile web;
  fetch_beginning(web, 5000);
  web.bytes[8000] = static_cast<char>(web.bytes[8000] ^ 1);
  server_.answer_with(web);
  expect_line(CommandResult{fetch("--quiet")}, 3,
              "what came is not the dataset X and was removed: ");
  expect_nothing();
}

TEST_F(FetchVerb, MistrustsPartsOfUnknownOrigin) {
  const WebFile web;
  const std::string right =
      R"({"bytes": 0, "url": ")" + server_.url() + R"(/sets/X.zip", "validator": )";
  for (const std::string& record :
       {std::string(), std::string("{"), std::string("[]"),
        std::string(R"({"bytes": 0, "url": 1, "validator": 2})"),
        std::string(R"({"bytes": 0, "url": "http://elsewhere/X.zip", "validator": "\"one\""})"),
        right + R"("\"one\"\r\nEvil: 1"})", right + R"("\"one\"", "whole": -1})",
        right + R"("\"one\"", "whole": 3})", std::string(10'000, '[')}) {
    write_text(file(".part"), "something else");
    write_text(file(".progress"), record);
    server_.answer_with(web);
    const auto fetched = fetch();
    EXPECT_EQ(fetched.exit_code, 0) << fetched.err;
    EXPECT_THAT(fetched.err, HasSubstr("not known what the part that is there belongs to"));
    EXPECT_FALSE(server_.take_requests().at(0).headers.contains("range"));
    expect_only_the_file(web.bytes);
    std::filesystem::remove(file());
  }
}

TEST_F(FetchVerb, TakesAPartThatIsWholeWithoutTheNetwork) {
  const WebFile web;
  fetch_beginning(web, 5000);
  write_text(file(".part"), web.bytes);
  const auto fetched = fetch();
  EXPECT_EQ(fetched.exit_code, 0) << fetched.err;
  EXPECT_TRUE(server_.take_requests().empty());
  expect_only_the_file(web.bytes);
}

TEST_F(FetchVerb, IsResumedAfterAnInterrupt) {
  const WebFile web;
  server_.answer_with([&](const HttpRequest& request) {
    auto held = web(request);
    held.bytes.resize(held.bytes.size() - 1000);
    held.hold = true;
    return held;
  });
  ChildProcess child({"fetch", "X", "--base-url", server_.url() + "/sets"}, folder_ / "err");
  const auto kept = web.bytes.size() - 1000;
  std::error_code ignored;
  for (int i = 0; i < 5000 && std::filesystem::file_size(file(".part"), ignored) != kept; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto second = fetch();
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("another run is writing this file"));
  child.interrupt();
  EXPECT_EQ(child.wait(), 128 + SIGINT);
  EXPECT_FALSE(exists());
  EXPECT_EQ(std::filesystem::file_size(file(".part")), kept);
  server_.answer_with(web);
  EXPECT_THAT(fetch("--format json").out, HasSubstr("\"resumed\": true"));
  expect_only_the_file(web.bytes);
}

TEST_F(FetchVerb, ExplainsWhatTheServerAnswers) {
  const auto expect = [&](const char* status, int exit_code, const char* words) {
    server_.answer_with([&](const HttpRequest&) {
      return HttpAnswer{answer(status, "Content-Length: 2\r\n", "PK")};
    });
    expect_line(fetch(), exit_code, words);
    expect_nothing();
  };
  expect("404 Not Found", 3, "no dataset X there (HTTP 404): is it spelt right, capitals and all?");
  expect("500 Internal Server Error", 1, "cannot answer now (HTTP 500): try again later");
  expect("503 Service Unavailable", 1, "HTTP 503");
  expect("403 Forbidden", 1, "HTTP 403");
  expect("206 Partial Content", 1, "HTTP 206");
  expect("304 Not Modified", 1, "HTTP 304");
  expect("204 No Content", 1, "HTTP 204");
}

TEST_F(FetchVerb, AnErrorOfTheServerLeavesThePart) {
  const WebFile web;
  fetch_beginning(web, 5000);
  for (const char* status : {"404 Not Found", "500 Internal Server Error"}) {
    server_.answer_with(
        [&](const HttpRequest&) { return HttpAnswer{answer(status, "", "<html>")}; });
    EXPECT_NE(fetch().exit_code, 0);
    EXPECT_EQ(read_text(file(".part")), web.bytes.substr(0, 5000));
  }
  server_.answer_with(web);
  EXPECT_THAT(fetch("--format json").out, HasSubstr("\"resumed\": true"));
}

TEST_F(FetchVerb, RefusesAPageInThePlaceOfAnArchive) {
  const std::string page = "<html>\r\n\x1b[31mPlease log in</html>";
  const auto say_page = [&](const HttpRequest&) { return HttpAnswer{answer("200 OK", "", page)}; };
  server_.answer_with(say_page);
  expect_line(fetch(), 3, R"(starts with '<html>\x0d\x0a\x1b[31mPlease log in</html>')");
  expect_nothing();
  server_.answer_with([](const HttpRequest&) { return HttpAnswer{answer("200 OK", "", "P")}; });
  expect_line(fetch(), 3, "starts with 'P'");
  expect_nothing();
  server_.answer_with(
      [](const HttpRequest&) { return HttpAnswer{answer("200 OK", "Content-Length: 0\r\n", "")}; });
  expect_line(fetch(), 3, "an empty file");
  expect_nothing();

  const WebFile web;
  fetch_beginning(web, 5000);
  server_.answer_with(say_page);
  expect_line(fetch(), 3, "expected a zip archive");
  EXPECT_EQ(read_text(file(".part")), web.bytes.substr(0, 5000))
      << "a page is no reason to lose it";
}

TEST_F(FetchVerb, RefusesArchivesThatAreNotTheDataset) {
  const auto expect = [&](const std::string& bytes, const char* words) {
    WebFile web;
    web.bytes = bytes;
    server_.answer_with(web);
    expect_line(fetch(), 3, words);
    expect_nothing();
  };
  expect(archive("Y"), "it holds Y, expected X");
  expect(zip_bytes({{"readme", "x"}}), "NAME_A.txt");
  expect("PK\x03\x04 and nothing else", "cannot be read as a zip archive");
  expect(archive().substr(0, 9000), "truncated or corrupt?");
}

TEST_F(FetchVerb, RefusesWhatIsTooLarge) {
  server_.answer_with([](const HttpRequest&) {
    return HttpAnswer{answer("200 OK", "Content-Length: 9000000000\r\n", "PK\x03\x04")};
  });
  expect_line(fetch(), 3, "no dataset is larger than 8.0 GB");
  expect_nothing();
}

TEST_F(FetchVerb, FollowsRedirectsButNotForEver) {
  const WebFile web;
  server_.answer_with([&](const HttpRequest& request) {
    return request.path == "/there"
               ? web(request)
               : HttpAnswer{answer("302 Found", "Location: /there\r\nETag: \"other\"\r\n", "")};
  });
  EXPECT_EQ(fetch().exit_code, 0);
  expect_only_the_file(web.bytes);
  std::filesystem::remove(file());
  server_.take_requests();
  server_.answer_with([&](const HttpRequest&) {
    return HttpAnswer{answer("302 Found", "Location: /again\r\n", "")};
  });
  expect_line(fetch(), 1, "from one address to the next without end");
  EXPECT_EQ(server_.take_requests().size(), 11U);
  server_.answer_with([&](const HttpRequest&) {
    return HttpAnswer{answer("302 Found", "Location: file:///etc/passwd\r\n", "")};
  });
  expect_line(fetch(), 1, "an address that is not safe");
  expect_nothing();
}

TEST_F(FetchVerb, ExplainsWhyThereIsNoConnection) {
  const auto refused = run_command("fetch X --base-url http://127.0.0.1:1/sets");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err,
              StartsWith("http://127.0.0.1:1/sets/X.zip: no connection to 127.0.0.1:1"));
  const auto unknown = run_command("fetch X --base-url https://no-such-host.invalid");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, StartsWith("https://no-such-host.invalid/X.zip: "));
  server_.answer_with([](const HttpRequest&) { return HttpAnswer{"no TLS here"}; });
  const auto unsafe = run_command("fetch X --base-url " + server_.url("https"));
  EXPECT_EQ(unsafe.exit_code, 1);
  EXPECT_THAT(unsafe.err, HasSubstr("no safe connection to 127.0.0.1"));
  expect_nothing();
}

TEST_F(FetchVerb, AsksNobodyWhenTheFolderCannotBeWritten) {
  server_.answer_with(WebFile());
  write_text(folder_ / "file", "x");
  const auto inside = fetch("--data-dir " + (folder_ / "file" / "deep").string());
  EXPECT_EQ(inside.exit_code, 1);
  EXPECT_THAT(inside.err, HasSubstr("cannot create the folder"));
  const auto no_folder = fetch("--data-dir " + (folder_ / "file").string());
  EXPECT_EQ(no_folder.exit_code, 1);
  std::filesystem::create_directories(file(".part"));
  const auto no_file = fetch();
  EXPECT_EQ(no_file.exit_code, 1);
  EXPECT_THAT(no_file.err, HasSubstr("X.zip: cannot write: Is a directory"));
  EXPECT_TRUE(server_.take_requests().empty());
}

TEST_F(FetchVerb, FullDiskIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "skipped: no /dev/full here";
  }
  std::filesystem::create_directories(folder_ / "data");
  std::filesystem::create_symlink("/dev/full", file(".part"));
  server_.answer_with(WebFile());
  const auto full = fetch();
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
  EXPECT_FALSE(exists());
}

TEST_F(FetchVerb, RefusesNamesAndAddressesThatAreNone) {
  server_.answer_with(WebFile());
  for (const char* name : {"../X", "a/b", "..", "X.zip", "'a b'", "''", "'X?y'", "X%2f", "ä"}) {
    const auto result = fetch({}, name);
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_THAT(result.err, HasSubstr("is not the name of a dataset")) << name;
  }
  EXPECT_EQ(fetch({}, "X ../Y").exit_code, 2) << "before anything is downloaded";
  EXPECT_TRUE(server_.take_requests().empty());
  for (const char* url : {"ftp://host", "file:///etc", "host/folder", "http://", "''", "https:///",
                          "'http://a b'", "http://me:secret@host", "'http://host/?x='"}) {
    const auto result = run_command(std::string("fetch X --base-url ") + url);
    EXPECT_EQ(result.exit_code, 2) << url << result.err;
    EXPECT_THAT(result.err, HasSubstr("--base-url: '")) << url;
  }
  expect_nothing();
}

TEST_F(FetchVerb, TakesPlainHttpOnlyFromTheFlag) {
  server_.answer_with(WebFile());
  setenv("RAYLEIGH_TU_URL", server_.url().c_str(), 1);
  const auto plain = run_command("fetch X");
  setenv("RAYLEIGH_TU_URL", server_.url("https").c_str(), 1);
  const auto secure = run_command("fetch X");
  unsetenv("RAYLEIGH_TU_URL");
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.err, HasSubstr("RAYLEIGH_TU_URL is not https"));
  EXPECT_EQ(secure.exit_code, 1);
  EXPECT_THAT(secure.err, StartsWith(server_.url("https") + "/X.zip: no safe connection"));
}

TEST_F(FetchVerb, AWrongNameDoesNotKeepTheOthersAway) {
  const WebFile web;
  server_.answer_with([&](const HttpRequest& request) {
    return request.path == "/sets/X.zip" ? web(request)
                                         : HttpAnswer{answer("404 Not Found", "", "")};
  });
  const auto fetched = fetch("--format json", "Y X");
  EXPECT_EQ(fetched.exit_code, 3);
  EXPECT_THAT(fetched.err, HasSubstr("no dataset Y there"));
  EXPECT_EQ(json::parse(fetched.out).size(), 1U);
  expect_only_the_file(web.bytes);
}

TEST(FetchModule, SaysHowToGetItWhereItIsMissing) {
  setenv("RAYLEIGH_MODULES", "/nowhere", 1);
  const auto result = run_command("fetch X");
  unsetenv("RAYLEIGH_MODULES");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("libcurl4-openssl-dev"));
  EXPECT_THAT(result.err, HasSubstr("RAYLEIGH_MODULES"));
}

}  // namespace
}  // namespace rayleigh::test
