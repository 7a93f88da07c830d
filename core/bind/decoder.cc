#include "bind/decoder.h"

namespace calque::bind {

const LeaveOneOut* leave_out(SourceText& source, const BoundDecoder& decoder,
                             const BoundLeaveOneOut* given) {
  return given == nullptr ? nullptr : given->apply(source, decoder.model);
}

WeightView to_weights(const BoundDecoder& decoder, const BoundWeights& weights) {
  if (weights.dense.size() != decoder.model.dense().size()) {
    throw Error("one weight per dense feature is expected");
  }
  return weights.view(*decoder.model.features);
}

SourceText to_source(const BoundDecoder& decoder, const BoundSource& source) {
  if (decoder.is_outside(view(source.copies))) throw Error("a copy is no target word");
  const size_t n_levels = source.levels.shape(1);
  if (!decoder.model.sparse().empty() && n_levels != decoder.model.sparse().n_source_levels()) {
    throw Error("source words have other levels than the templates");
  }
  return {view(source.ids), view(source.offsets), view(source.copies), view(source.levels), n_levels, {}};
}

void check_events(const BoundDecoder& decoder, const SearchOptions& search,
                  const OptionLimits& limits) {
  if ((search.reordering.least_left_count > 0 || limits.by_count) && decoder.model.events().empty()) {
    throw Error("the model has no counts of events");
  }
}

void check_references(const SourceText& source, const Vector<int32_t>& references,
                      const Vector<int64_t>& offsets) {
  if (offsets.size() != source.offsets.size()) {
    throw Error("one reference per source sentence is expected");
  }
  check_offsets(view(offsets), references.size(), "references");
}

}  // namespace calque::bind
