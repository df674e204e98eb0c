#include "allocation_hook.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> made{0};
thread_local bool is_counted = true;

void* count(std::size_t octets) {
  if (is_counted)
    made.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(octets == 0 ? 1 : octets);
}

void* counted_or_thrown(std::size_t octets) {
  if (auto* p = count(octets))
    return p;
  throw std::bad_alloc{};
}

} // namespace

namespace inbox::test {

std::uint64_t allocations() {
  return made.load();
}

void leave_this_thread_out() {
  is_counted = false;
}

} // namespace inbox::test

// The replaceable functions, for the whole program; the others call these.
void* operator new(std::size_t octets) {
  return counted_or_thrown(octets);
}
void* operator new(std::size_t octets, const std::nothrow_t&) noexcept {
  return count(octets);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
