#include <algorithm>

#include "pipeline.h"

namespace libsgemm {
namespace {

constexpr size_t kDirectBytes = size_t{16} << 20;  // per copy without pinned pieces
constexpr size_t kInlineBytes = size_t{64} << 10;  // up to here another thread is no faster
constexpr size_t kLeastPiece = size_t{256} << 10;
constexpr size_t kDownPiece = kPieceBytes / 2;  // one piece is stored while the next arrives

size_t piece_size(const Block &block, size_t size, size_t most) {
  const size_t share = device_bytes(block, size) / (2 * static_cast<size_t>(copy_threads()));
  return std::clamp(share, kLeastPiece, most);
}

// True if there is no next piece.
bool advance(const Block &block, const Piece &piece, int64_t *column, int64_t *row) {
  *row = piece.row + piece.rows < block.rows ? piece.row + piece.rows : 0;
  if (*row == 0) *column = piece.column + piece.columns;
  return *column == block.items * block.cols;
}

}  // namespace

Pipeline::Slot *Pipeline::free_slot(bool direct, bool up) {
  if (direct) {  // the first half is for uploads
    const size_t half = direct_.size() / 2;
    for (size_t i = up ? 0 : half; i < (up ? half : direct_.size()); ++i) {
      if (direct_[i].state.load(std::memory_order_relaxed) == idle) return &direct_[i];
    }
    return nullptr;
  }
  size_t spare = 0;
  Slot *found = nullptr;
  for (Slot &slot : slots_) {
    if (slot.state.load(std::memory_order_relaxed) != idle) continue;
    found = &slot;
    ++spare;
    if (!up || spare > kept_for_results_) return found;
  }
  return nullptr;
}

bool Pipeline::fill() {
  bool moved = false;
  while (!uploads_.empty()) {
    Buffer *b = uploads_.front();
    const bool direct = b->operand->pinned && b->block.items == 1;
    Slot *slot = free_slot(direct, true);
    if (slot == nullptr) return moved;
    const size_t size = b->operand->size;
    slot->operand = b->operand;
    slot->block = b->block;
    slot->buffer = b;
    slot->piece =
        next_piece(b->block, size, direct ? kDirectBytes : piece_size(b->block, size, kPieceBytes), b->column, b->row);
    ++b->unsent;
    b->cut = advance(b->block, slot->piece, &b->column, &b->row);
    if (b->cut) uploads_.pop_front();
    moved = true;
    slot->run = [](CopyTask *task) {
      auto *self = static_cast<Slot *>(task);
      pack(*self->operand, self->block, self->piece, self->memory);
      self->state.store(filled, std::memory_order_release);
    };
    slot->state.store(direct ? filled : filling, std::memory_order_relaxed);
    if (direct) continue;
    if (piece_bytes(b->block, slot->piece, size) <= kInlineBytes) {
      slot->run(slot);
    } else {
      submit_copy(slot, helps_);
    }
  }
  return moved;
}

libsgemm_status_t Pipeline::send(bool *moved) {
  for (std::vector<Slot> *all : {&direct_, &slots_}) {
    for (Slot &slot : *all) {
      if (slot.state.load(std::memory_order_acquire) != filled) continue;
      Buffer *b = slot.buffer;
      const size_t bytes = piece_bytes(slot.block, slot.piece, slot.operand->size);
      char *there = b->memory + piece_offset(slot.block, slot.piece, slot.operand->size);
      const Copy staged = {Copy::to_device, there, slot.memory, bytes, bytes, bytes, 1};
      const Copy copy =
          slot.memory != nullptr ? staged : direct_copy(*slot.operand, slot.block, slot.piece, b->memory, true);
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      if (b->must_wait) status = backend_.stream_wait_event(device_, set_->up, b->free, error_);
      b->must_wait = false;
      if (status == LIBSGEMM_SUCCESS) status = backend_.copy(device_, copy, set_->up, error_);
      slot.state.store(flying, std::memory_order_relaxed);
      if (status == LIBSGEMM_SUCCESS) status = backend_.record_event(device_, slot.event, set_->up, error_);
      if (status != LIBSGEMM_SUCCESS) return status;
      rising_.push_back(&slot);
      traffic_.up += static_cast<double>(bytes);
      *moved = true;
      if (--b->unsent > 0 || !b->cut) continue;
      status = backend_.record_event(device_, b->ready, set_->up, error_);
      if (status != LIBSGEMM_SUCCESS) return status;
      b->sent = true;
    }
  }
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t Pipeline::has_ended(void *event, bool *ended) {
  *ended = false;
  return backend_.query_event(device_, event, ended, error_);
}

libsgemm_status_t Pipeline::land_uploads(bool *moved) {
  while (!rising_.empty()) {
    bool ended = false;
    const libsgemm_status_t status = has_ended(rising_.front()->event, &ended);
    if (!ended) return status;
    rising_.front()->state.store(idle, std::memory_order_relaxed);
    rising_.pop_front();
    *moved = true;
  }
  return LIBSGEMM_SUCCESS;
}

// Fetches only results whose kernels ended without an error and whose old values are saved.
libsgemm_status_t Pipeline::fetch(bool *moved) {
  while (!results_.empty()) {
    Work *w = results_.front();
    if (!w->computed) {
      const libsgemm_status_t status = has_ended(w->c->free, &w->computed);
      if (!w->computed) return status;
    }
    if (w->unsaved.load(std::memory_order_acquire) > 0) return LIBSGEMM_SUCCESS;
    const Block block = w->c->block;
    const bool direct = job_.c.pinned && block.items == 1;
    while (!w->cut) {
      Slot *slot = free_slot(direct, false);
      if (slot == nullptr) return LIBSGEMM_SUCCESS;
      slot->operand = &job_.c;
      slot->block = block;
      slot->work = w;
      const size_t most = direct ? kDirectBytes : piece_size(block, sizeof(float), kDownPiece);
      slot->piece = next_piece(block, sizeof(float), most, w->column, w->row);
      const size_t bytes = piece_bytes(block, slot->piece, sizeof(float));
      char *there = w->c->memory + piece_offset(block, slot->piece, sizeof(float));
      const Copy staged = {Copy::to_host, slot->memory, there, bytes, bytes, bytes, 1};
      const Copy copy = direct ? direct_copy(job_.c, block, slot->piece, w->c->memory, false) : staged;
      libsgemm_status_t status = backend_.copy(device_, copy, set_->down, error_);
      slot->state.store(flying, std::memory_order_relaxed);
      if (status == LIBSGEMM_SUCCESS) status = backend_.record_event(device_, slot->event, set_->down, error_);
      if (status != LIBSGEMM_SUCCESS) return status;
      falling_.push_back(slot);
      traffic_.down += static_cast<double>(bytes);
      ++w->pieces;
      w->cut = advance(block, slot->piece, &w->column, &w->row);
      *moved = true;
    }
    results_.pop_front();
  }
  return LIBSGEMM_SUCCESS;
}

// If C is pinned, arrived pieces are in place.
libsgemm_status_t Pipeline::land_results(bool *moved) {
  while (!falling_.empty()) {
    Slot *slot = falling_.front();
    bool ended = false;
    const libsgemm_status_t status = has_ended(slot->event, &ended);
    if (!ended) return status;
    falling_.pop_front();
    *moved = true;
    Work *w = slot->work;
    if (++w->landed == w->pieces && w->cut) w->c->used = false;
    if (slot->memory == nullptr) {
      ++w->stored;
      slot->state.store(idle, std::memory_order_relaxed);
      continue;
    }
    slot->run = [](CopyTask *task) {
      auto *self = static_cast<Slot *>(task);
      unpack(*self->operand, self->block, self->piece, self->memory);
      self->state.store(stored, std::memory_order_release);
    };
    slot->state.store(storing, std::memory_order_relaxed);
    if (piece_bytes(slot->block, slot->piece, sizeof(float)) <= kInlineBytes) {
      slot->run(slot);
    } else {
      submit_copy(slot, helps_);
    }
  }
  return LIBSGEMM_SUCCESS;
}

bool Pipeline::store() {
  bool moved = false;
  for (Slot &slot : slots_) {
    if (slot.state.load(std::memory_order_acquire) != stored) continue;
    ++slot.work->stored;
    slot.state.store(idle, std::memory_order_relaxed);
    moved = true;
  }
  return moved;
}

}  // namespace libsgemm
