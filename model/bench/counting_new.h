// Counts every call of operator new. For one source file of a test program: it replaces the
// operators of the whole program.
#ifndef METAROCE_MODEL_BENCH_COUNTING_NEW_H_
#define METAROCE_MODEL_BENCH_COUNTING_NEW_H_

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

uint64_t allocations = 0;

void* Allocate(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#endif  // METAROCE_MODEL_BENCH_COUNTING_NEW_H_
