/** A binary heap whose entries can be moved and removed. Each operation is logarithmic in their number. */
export class IndexedHeap<Entry> {
  readonly #isBefore: (left: Entry, right: Entry) => boolean;
  readonly #entries: Entry[] = [];
  readonly #places = new Map<Entry, number>();

  /**
   * `isBefore` is a strict order of all entries. After an entry's order changes, call {@link put} with it before any other
   * operation.
   */
  constructor(isBefore: (left: Entry, right: Entry) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** For checkers: whether all places match and the heap order holds. */
  get isInOrder(): boolean {
    return this.#entries.every((entry, place) => {
      const isAfterItsParent = place === 0 || !this.#isBefore(entry, this.#entries[(place - 1) >> 1]!);
      return this.#places.get(entry) === place && isAfterItsParent;
    });
  }

  /** Adds an entry, or moves it after its order has changed. */
  put(entry: Entry): void {
    const place = this.#places.get(entry) ?? this.#entries.length;
    this.#set(entry, place);
    this.#sink(entry, this.#rise(entry, place));
  }

  delete(entry: Entry): void {
    const place = this.#places.get(entry);
    if (place === undefined) return;
    this.#places.delete(entry);
    const last = this.#entries.pop()!;
    if (last === entry) return;
    this.#set(last, place);
    this.#sink(last, this.#rise(last, place));
  }

  clear(): void {
    this.#entries.length = 0;
    this.#places.clear();
  }

  #rise(entry: Entry, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.#isBefore(entry, this.#entries[above]!)) break;
      this.#set(this.#entries[above]!, place);
      place = above;
    }
    this.#set(entry, place);
    return place;
  }

  #sink(entry: Entry, from: number): void {
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#entries.length) break;
      const right = below + 1;
      if (right < this.#entries.length && this.#isBefore(this.#entries[right]!, this.#entries[below]!)) below = right;
      if (!this.#isBefore(this.#entries[below]!, entry)) break;
      this.#set(this.#entries[below]!, place);
      place = below;
    }
    this.#set(entry, place);
  }

  #set(entry: Entry, place: number): void {
    this.#entries[place] = entry;
    this.#places.set(entry, place);
  }
}
