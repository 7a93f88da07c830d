// Runs of records merged into one sorted stream.
#pragma once

#include <algorithm>
#include <vector>

#include "blocks/record.h"

namespace calque {

// The records of several runs with source ids in [first_source, last_source), in order; records of
// the same kind are summed. Reads every run from front to back, so runs may lie on disk.
class Merger {
 public:
  Merger(const std::vector<SortedRun>& runs, uint64_t first_source, uint64_t last_source) {
    for (const SortedRun& run : runs) {
      const auto begin_of = [&run](uint64_t source) {
        if (source >> 32) return run.end();  // beyond every id
        return std::lower_bound(run.begin(), run.end(), Record{source << 32, 0, 0});
      };
      const auto from = begin_of(first_source), to = begin_of(last_source);
      if (from != to) heads_.push_back({from, to});
    }
    std::make_heap(heads_.begin(), heads_.end(), Later());
  }

  bool done() const { return heads_.empty(); }
  const Record& peek() const { return *heads_.front().at; }
  Record next() {
    Record record = peek();
    advance();
    while (!done() && peek().same_kind(record)) {
      record.tail += peek().count();
      advance();
    }
    return record;
  }

 private:
  struct Head {
    SortedRun::iterator at, end;
  };
  struct Later {
    bool operator()(const Head& a, const Head& b) const { return *b.at < *a.at; }
  };
  void advance() {
    std::pop_heap(heads_.begin(), heads_.end(), Later());
    if (++heads_.back().at == heads_.back().end) {
      heads_.pop_back();
    } else {
      std::push_heap(heads_.begin(), heads_.end(), Later());
    }
  }
  std::vector<Head> heads_;
};

}  // namespace calque
