#include "store/memory/memory_store.hpp"
#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

class MemoryUnderTest final : public StoreUnderTest {
 public:
  Store& store() override { return store_; }
  ManualClock& clock() override { return clock_; }
  void reopen() override {}  // nothing is durable: the data lives as long as this object

 private:
  ManualClock clock_;
  store::MemoryStore store_{clock_};
};

}  // namespace

std::vector<StoreFactory> all_stores() {
  return {{"memory", [] { return std::make_unique<MemoryUnderTest>(); }}};
}

}  // namespace semel::test
