/** What was replayed of public channels just now: when many clients come back at once, each record is read and written out for the first alone. */
import { isRecordChannel } from './market-updates.ts';
import { Stretch } from './stretch.ts';
import { keyOf, type Subject } from './topic.ts';

export class SharedStretches {
  readonly #byKey = new Map<string, Stretch>();
  readonly #mostBytes: number;

  /** So many bytes are kept, beside those of the last one that was asked for. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** To be gone on with from its end. What is older than `oldest` cannot be read any more. */
  for(subject: Subject, fromSequence: number, oldest: number): Stretch {
    // Of an account's past its view is made from the start on, and candles are told all in one.
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

  /** What many ask for they ask for soon. */
  forget(): void {
    this.#byKey.clear();
  }

  /** Those that were asked for longest ago go. */
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
