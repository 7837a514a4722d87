/** A queue that takes from its owners in turn, each oldest first: the many entries of one owner delay those of another by one each. */
import type { AccountOrdinal } from '#units/ids.ts';

export class FairQueue<Entry> {
  /** In the order in which they are due. No list is empty. */
  readonly #byOwner = new Map<AccountOrdinal, Entry[]>();

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  push(owner: AccountOrdinal, entry: Entry): void {
    const waiting = this.#byOwner.get(owner);
    if (waiting === undefined) this.#byOwner.set(owner, [entry]);
    else waiting.push(entry);
  }

  shift(): Entry | undefined {
    const [due] = this.#byOwner;
    if (due === undefined) return undefined;
    const [owner, waiting] = due;
    const entry = waiting.shift();
    this.#byOwner.delete(owner);
    if (waiting.length > 0) this.#byOwner.set(owner, waiting);
    return entry;
  }
}
