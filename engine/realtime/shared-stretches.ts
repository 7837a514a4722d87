/** What was replayed of public channels just now: when many clients come back at once, each record is read and written out for the first alone. */
import { isRecordChannel } from './market-updates.ts';
import { Stretch } from './stretch.ts';
import { keyOf, type Subject } from './topic.ts';

/** Each is as large as a replay may be. */
const MOST_STRETCHES = 16;

export class SharedStretches {
  readonly #byKey = new Map<string, Stretch>();

  /** To be gone on with from its end. What is older than `oldest` cannot be read any more. */
  for(subject: Subject, fromSequence: number, oldest: number): Stretch {
    // Of an account's past its view is made from the start on, and candles are told all in one.
    if ('account' in subject || !isRecordChannel(subject.channel)) return new Stretch(fromSequence);
    const key = keyOf(subject);
    const found = this.#byKey.get(key);
    this.#byKey.delete(key);
    const isFit = found !== undefined && found.upTo >= oldest && (found.isCut || found.fromSequence <= fromSequence);
    const stretch = isFit ? found : new Stretch(fromSequence);
    this.#byKey.set(key, stretch);
    if (this.#byKey.size > MOST_STRETCHES) this.#byKey.delete(this.#byKey.keys().next().value!);
    return stretch;
  }

  /** What many ask for they ask for soon. */
  forget(): void {
    this.#byKey.clear();
  }
}
