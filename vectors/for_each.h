// Work on many things at once.
#ifndef METAROCE_VECTORS_FOR_EACH_H_
#define METAROCE_VECTORS_FOR_EACH_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace metaroce::vectors {

// Calls `work` with 0, 1, ... below `count`, by as many threads as there are processors.
inline void ForEach(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  const size_t most = std::min<size_t>(std::thread::hardware_concurrency(), count);
  for (size_t i = 1; i < most; ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_FOR_EACH_H_
