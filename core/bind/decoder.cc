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

ReferenceTexts to_references(const SourceText& source, const BoundReferences& references) {
  ReferenceTexts texts;
  for (const auto& [ids, offsets] : references) {
    check_references(source, ids, offsets);
    texts.all.push_back({view(ids), view(offsets)});
  }
  if (texts.all.empty()) throw Error("at least one reference is expected");
  return texts;
}

SourceText to_sentence(const BoundDecoder& decoder, const BoundSource& source) {
  const SourceText text = to_source(decoder, source);
  if (text.size() != 1) throw Error("one sentence is expected");
  return text;
}

Constraints to_constraints(const BoundDecoder& decoder, const SourceText& source,
                           const Vector<int64_t>& offsets, const Vector<int32_t>& spans,
                           const Vector<int64_t>& target_offsets, const Vector<int32_t>& targets) {
  const size_t n = spans.size() / 2;
  if (n == 0) return {};
  check_size(offsets.size(), source.offsets.size(), "offsets of constraints");
  check_offsets(view(offsets), n, "constraints");
  check_size(target_offsets.size(), n + 1, "offsets of the targets of constraints");
  check_filled_offsets(view(target_offsets), targets.size(), "targets of constraints");
  if (decoder.is_outside(view(targets))) {
    throw Error("a constraint has a target word outside the vocabulary");
  }
  Constraints constraints{{}, view(offsets)};
  for (size_t i = 0; i < n; ++i) {
    const auto from = static_cast<size_t>(target_offsets.data()[i]);
    const auto to = static_cast<size_t>(target_offsets.data()[i + 1]);
    constraints.all.push_back(
        {spans.data()[2 * i], spans.data()[2 * i + 1], view(targets).subspan(from, to - from)});
  }
  for (size_t at = 0; at < source.size(); ++at) {
    int32_t free = 0;
    for (const Constraint& constraint : constraints.sentence(at)) {
      if (constraint.begin < free || constraint.begin >= constraint.end ||
          constraint.end > source.sentence(at).size()) {
        throw Error("constraints lie in the sentence, from left to right, without overlap");
      }
      free = constraint.end;
    }
  }
  return constraints;
}

}  // namespace calque::bind
