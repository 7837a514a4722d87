/** Recently replayed ranges of public channels: when many clients reconnect together, each record is read and rendered once. */
import { isRecordChannel } from './market-updates.ts';
import { ReplayRange } from './replay-range.ts';
import { keyOf, type Subject } from './topic.ts';

export class SharedReplayRanges {
  readonly #byKey = new Map<string, ReplayRange>();
  readonly #maxBytes: number;

  /** Keeps up to `maxBytes`, and the last requested range in any case. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The range that the replay continues at its end. `oldest`: the replay buffer has no records before. */
  for(subject: Subject, fromSequence: number, oldest: number): ReplayRange {
    // The view of an account is built from the start of its own replay, and candles are one update: neither is shared.
    if ('account' in subject || !isRecordChannel(subject.channel)) return new ReplayRange(fromSequence);
    const key = keyOf(subject);
    const found = this.#byKey.get(key);
    this.#byKey.delete(key);
    const isFit = found !== undefined && found.upTo >= oldest && (found.isCut || found.fromSequence <= fromSequence);
    const range = isFit ? found : new ReplayRange(fromSequence);
    this.#evict();
    this.#byKey.set(key, range);
    return range;
  }

  /** Clients that reconnect together do so within a short time. */
  forget(): void {
    this.#byKey.clear();
  }

  /** LRU eviction. */
  #evict(): void {
    let bytes = 0;
    for (const range of this.#byKey.values()) bytes += range.bytes;
    for (const [key, range] of this.#byKey) {
      if (bytes <= this.#maxBytes) return;
      this.#byKey.delete(key);
      bytes -= range.bytes;
    }
  }
}
