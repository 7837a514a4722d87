/** Recently replayed ranges of public channels: when many clients reconnect together, each record is read and rendered once. */
import { isRecordChannel } from './market-updates.ts';
import { Stretch } from './stretch.ts';
import { keyOf, type Subject } from './topic.ts';

export class SharedStretches {
  readonly #byKey = new Map<string, Stretch>();
  readonly #mostBytes: number;

  /** Keeps up to `mostBytes`, and the last requested range in any case. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The range that the replay continues at its end. `oldest`: the replay buffer has no records before. */
  for(subject: Subject, fromSequence: number, oldest: number): Stretch {
    // The view of an account is built from the start of its own replay, and candles are one update: neither is shared.
    if ('account' in subject || !isRecordChannel(subject.channel)) return new Stretch(fromSequence);
    const key = keyOf(subject);
    const found = this.#byKey.get(key);
    this.#byKey.delete(key);
    const isFit = found !== undefined && found.upTo >= oldest && (found.isCut || found.fromSequence <= fromSequence);
    const stretch = isFit ? found : new Stretch(fromSequence);
    this.#makeRoom();
    this.#byKey.set(key, stretch);
    return stretch;
  }

  /** Clients that reconnect together do so within a short time. */
  forget(): void {
    this.#byKey.clear();
  }

  /** LRU eviction. */
  #makeRoom(): void {
    let bytes = 0;
    for (const stretch of this.#byKey.values()) bytes += stretch.bytes;
    for (const [key, stretch] of this.#byKey) {
      if (bytes <= this.#mostBytes) return;
      this.#byKey.delete(key);
      bytes -= stretch.bytes;
    }
  }
}
