import type { RowRange } from './changed-rows.ts';

/** Minimum number of rows that agree on a motion for it to be worth a separate vector. */
const MIN_VOTES = 8;
const EMPTY = -1;
const REPEATED = -2;

/**
 * Finds how far the content of a screen has moved up or down since the previous frame. Rows are hashed. Each changed
 * row whose hash equals that of exactly one previous row votes for the distance between the two. The result is a
 * candidate: the encoder compares pixels before it relies on it.
 */
export class ScrollDetector {
  readonly #width: number;
  readonly #height: number;
  readonly #maxMotion: number;
  readonly #left: number;
  readonly #right: number;
  readonly #hashes: Int32Array;
  readonly #previousHashes: Int32Array;
  /** Previous rows by hash, with open addressing: EMPTY, REPEATED, or the row. */
  readonly #rows: Int32Array;
  readonly #keys: Int32Array;
  /** Number of votes, indexed by distance + height. */
  readonly #votes: Int32Array;

  /** Detects scroll distances of less than `maxMotion` rows. */
  constructor(width: number, height: number, maxMotion: number) {
    this.#width = width;
    this.#height = height;
    this.#maxMotion = maxMotion;
    // The margins are ignored, because a scroll bar along the edge moves by another distance than the content.
    this.#left = width >> 3;
    this.#right = width - this.#left;
    this.#hashes = new Int32Array(height);
    this.#previousHashes = new Int32Array(height);
    const slots = 2 ** Math.ceil(Math.log2(height * 2));
    this.#rows = new Int32Array(slots);
    this.#keys = new Int32Array(slots);
    this.#votes = new Int32Array(height * 2);
  }

  /** Processes the next frame, of which only the `changed` rows differ from the previous one. */
  update(words: Int32Array, changed: RowRange): void {
    for (let y = changed.first; y <= changed.last; y++) {
      this.#previousHashes[y] = this.#hashes[y]!;
      this.#hashes[y] = this.#hashRow(words, y);
    }
  }

  /**
   * Called after `update`. Returns the distance such that row y of the frame was row y + distance of the previous
   * one, so it is positive when content moves up. Returns 0 if there is none.
   */
  detect(changed: RowRange): number {
    if (changed.last - changed.first < MIN_VOTES) return 0;
    this.#indexPreviousRows(changed);
    this.#votes.fill(0);
    let best = 0;
    let bestVotes = MIN_VOTES - 1;
    for (let y = changed.first; y <= changed.last; y++) {
      const row = this.#rows[this.#slot(this.#hashes[y]!)];
      const distance = row! - y;
      if (row! < 0 || distance === 0 || Math.abs(distance) >= this.#maxMotion) continue;
      const votes = ++this.#votes[distance + this.#height]!;
      if (votes > bestVotes) {
        best = distance;
        bestVotes = votes;
      }
    }
    return best;
  }

  #indexPreviousRows(changed: RowRange): void {
    this.#rows.fill(EMPTY);
    for (let y = changed.first; y <= changed.last; y++) {
      const hash = this.#previousHashes[y];
      const slot = this.#slot(hash!);
      this.#rows[slot] = this.#rows[slot] === EMPTY ? y : REPEATED;
      this.#keys[slot] = hash!;
    }
  }

  /** The slot that holds `hash`, or the empty slot where it would be inserted. */
  #slot(hash: number): number {
    const mask = this.#rows.length - 1;
    let slot = hash & mask;
    while (this.#rows[slot] !== EMPTY && this.#keys[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  /** FNV-1a over words, with a final mixing step because the table uses the low bits. */
  #hashRow(words: Int32Array, y: number): number {
    let hash = 0x811c9dc5 | 0;
    const row = y * this.#width;
    for (let i = row + this.#left; i < row + this.#right; i++) hash = Math.imul(hash ^ words[i]!, 0x01000193);
    return hash ^ (hash >>> 15);
  }
}
