// The command as a child process that can be killed, for tests of what survives it.
// Its stdout is dropped, its stderr goes to a file.
// One process per object.
#pragma once

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace rayleigh::test {

class ChildProcess {
 public:
  ChildProcess(std::vector<std::string> arguments, const std::filesystem::path& err) {
    arguments.insert(arguments.begin(), RAYLEIGH_COMMAND);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (std::string& word : arguments) {
      words.push_back(word.data());
    }
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int error = posix_spawn(&id_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      throw std::runtime_error("cannot start " + arguments[0]);
    }
  }
  ~ChildProcess() {
    if (!ended_) {
      kill_now();
    }
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// kill -9.
  void kill_now() {
    kill(id_, SIGKILL);
    wait();
  }
  void interrupt(int signal = SIGINT) const { kill(id_, signal); }
  /// Whether it ended by itself within the time.
  bool ends_within(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    do {
      if (ended_) {
        return true;
      }
      int status = 0;
      if (waitpid(id_, &status, WNOHANG) == id_) {
        note(status);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
  /// Exit code, or 128 and the signal.
  int wait() {
    int status = 0;
    if (!ended_ && waitpid(id_, &status, 0) == id_) {
      note(status);
    }
    return exit_code_;
  }

 private:
  void note(int status) {
    ended_ = true;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  pid_t id_ = -1;
  bool ended_ = false;
  int exit_code_ = -1;
};

}  // namespace rayleigh::test
