#include "classes/exchange.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "interrupt.h"

namespace calque {

ClassExchange::ClassExchange(Bigrams bigrams, int32_t n_classes)
    : bigrams_(std::move(bigrams)),
      n_classes_(n_classes),
      width_(static_cast<size_t>(n_classes) + 1),
      class_of_(static_cast<size_t>(bigrams_.n_words()) + 1, -1),
      totals_(width_),
      table_(width_ * width_),
      transposed_(width_ * width_),
      sums_(width_) {
  for (int32_t word = 0; word < bigrams_.n_words(); ++word) {
    if (bigrams_.count(word) > 0) by_frequency_.push_back(word);
  }
  std::stable_sort(by_frequency_.begin(), by_frequency_.end(), [this](int32_t a, int32_t b) {
    return bigrams_.count(a) > bigrams_.count(b);
  });
  for (size_t rank = 0; rank < by_frequency_.size(); ++rank) {
    class_of_[static_cast<size_t>(by_frequency_[rank])] =
        static_cast<int32_t>(rank % static_cast<size_t>(n_classes));
  }
  class_of_.back() = n_classes;  // the boundary, while the tables are filled and used
  for (int32_t left = 0; left <= bigrams_.n_words(); ++left) {
    const int32_t row = class_of_[static_cast<size_t>(left)];
    if (row < 0) continue;
    totals_[static_cast<size_t>(row)] += bigrams_.count(left);
    for (const auto [right, count] : bigrams_.after(left)) {
      const int32_t column = class_of_[static_cast<size_t>(right)];
      table_[cell(row, column)] += count;
      transposed_[cell(column, row)] += count;
    }
  }
}

void ClassExchange::share(std::span<const Neighbour> neighbours, int32_t word,
                          std::vector<Share>& shares, int32_t& own) {
  shares.clear();
  own = 0;
  for (const auto [neighbour, count] : neighbours) {
    if (neighbour == word) {
      own = count;
      continue;
    }
    const int32_t cls = class_of_[static_cast<size_t>(neighbour)];
    if (sums_[static_cast<size_t>(cls)] == 0) shares.push_back({cls, 0});
    sums_[static_cast<size_t>(cls)] += count;
  }
  for (Share& part : shares) {
    part.count = std::exchange(sums_[static_cast<size_t>(part.cls)], 0);
  }
}

void ClassExchange::place(int32_t word, int32_t cls, int32_t sign) {
  const auto change = [&](int32_t row, int32_t column, int32_t count) {
    table_[cell(row, column)] += sign * count;
    transposed_[cell(column, row)] += sign * count;
  };
  for (const auto [other, count] : after_) change(cls, other, count);
  for (const auto [other, count] : before_) change(other, cls, count);
  change(cls, cls, own_);
  totals_[static_cast<size_t>(cls)] += sign * bigrams_.count(word);
}

double ClassExchange::gain(int32_t word, int32_t cls) const {
  const int32_t* row = table_.data() + cell(cls, 0);
  const int32_t* column = transposed_.data() + cell(cls, 0);
  const int32_t inside = row[cls];
  int32_t joining = own_;  // bigrams that come to lie inside the class: one cell for all of them
  double sum = 0;
  for (const auto [other, count] : after_) {
    if (other == cls) {
      joining += count;
    } else {
      sum += term_(row[other] + count) - term_(row[other]);
    }
  }
  for (const auto [other, count] : before_) {
    if (other == cls) {
      joining += count;
    } else {
      sum += term_(column[other] + count) - term_(column[other]);
    }
  }
  const int64_t total = totals_[static_cast<size_t>(cls)];
  return sum + term_(inside + joining) - term_(inside) -
         2 * (term_(total + bigrams_.count(word)) - term_(total));
}

std::vector<double> ClassExchange::sweep() {
  std::vector<double> gains;
  for (const int32_t word : by_frequency_) {
    end_if_interrupted();
    int32_t& current = class_of_[static_cast<size_t>(word)];
    share(bigrams_.after(word), word, after_, own_);
    share(bigrams_.before(word), word, before_, own_);
    place(word, current, -1);
    const double staying = gain(word, current);
    // What rounding alone could make of a tie.
    double best = staying + 1e-9 * std::max(1.0, std::abs(staying));
    int32_t chosen = current;
    for (int32_t cls = 0; cls < n_classes_; ++cls) {
      if (cls == current) continue;
      const double found = gain(word, cls);
      if (found > best) {
        best = found;
        chosen = cls;
      }
    }
    place(word, chosen, 1);
    if (chosen != current) gains.push_back(best - staying);
    current = chosen;
  }
  return gains;
}

double ClassExchange::objective() const {
  double sum = 0;
  for (const int32_t count : table_) sum += term_(count);
  for (const int64_t total : totals_) sum -= 2 * term_(total);
  return sum;
}

}  // namespace calque
