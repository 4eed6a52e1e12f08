// Runs something that must fail and checks how: the kind of error, one line, the words it must say.
// For tests of anything that throws rayleigh::Error.
// Nothing here is part of the library.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::test {

inline void expect_error(ErrorKind kind, const std::function<void()>& action,
                         const std::vector<std::string>& words) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    for (const char c : message) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << "not one printable line: " << message;
    }
    EXPECT_EQ(core::find_invalid_utf8(message), std::string::npos) << message;
    for (const std::string& word : words) {
      EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' not in: " << message;
    }
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not a rayleigh::Error: " << error.what();
    return;
  }
  ADD_FAILURE() << "accepted, expected an error with '" << (words.empty() ? "" : words[0]) << "'";
}

inline void expect_usage_error(const std::function<void()>& action,
                               const std::vector<std::string>& words) {
  expect_error(ErrorKind::usage, action, words);
}

inline void expect_data_error(const std::function<void()>& action,
                              const std::vector<std::string>& words) {
  expect_error(ErrorKind::bad_data, action, words);
}

}  // namespace rayleigh::test
