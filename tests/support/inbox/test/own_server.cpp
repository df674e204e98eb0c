#include "inbox/test/own_server.hpp"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <unistd.h>

namespace inbox::test {

namespace {

const std::string script = INBOX_OWN_SERVER;

/// What the command wrote. No word of it holds a quote.
std::string output_of(const std::string& command) {
  std::FILE* from = ::popen(command.c_str(), "r");
  if (!from)
    throw std::runtime_error{"no shell for " + command};
  std::string out;
  for (int c = std::fgetc(from); c != EOF; c = std::fgetc(from))
    out += static_cast<char>(c);
  if (const int code = ::pclose(from); code != 0)
    throw std::runtime_error{command + " ended with " + std::to_string(code)};
  return out;
}

std::string mode(own_server::ending how) {
  return how == own_server::ending::fast ? "-m fast " : "-m immediate ";
}

} // namespace

own_server::own_server(std::initializer_list<std::string> settings) {
  auto command = script + " create " + std::to_string(::getpid());
  for (const auto& s : settings)
    command += " '" + s + "'";
  const auto told = output_of(command);
  const auto space = told.find(' ');
  directory_ = told.substr(0, space);
  url_ = told.substr(space + 1, told.find('\n') - space - 1);
}

own_server::~own_server() {
  try {
    output_of(script + " remove " + directory_);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
}

void own_server::restart(ending how) {
  control(mode(how) + "restart");
}

void own_server::stop(ending how) {
  control(mode(how) + "stop");
}

void own_server::start() {
  control("start");
}

void own_server::control(const std::string& words) const {
  output_of(script + " control " + directory_ + " " + words);
}

} // namespace inbox::test
