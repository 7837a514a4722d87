/**
 * A body with one long list, written out in steps: between two of them the thread can do other work. Its rows were read before the
 * first step, so the body shows one moment however long writing it out takes.
 */

import type { PageEntries, PageQuery } from './reads.ts';

type Direction = PageQuery['direction'];

/** 0.2 to 0.4 ms. */
export const ROWS_PER_STEP = 50;

/** How the entries of a list are shown, by the name of the list. */
export interface ListView {
  readonly [list: string]: ((entry: never) => unknown) | undefined;
}

/** Of `Body`, with all that it is made of. */
export function pagedBody<Body>() {
  return <List extends keyof Body & string, Head extends Partial<Omit<Body, List>>>(
    head: Head,
    list: List,
    entries: PageEntries<Body[List] extends readonly (infer Entry)[] ? Entry : never>,
    tail: Omit<Body, List | keyof Head>,
    direction: Direction = 'oldest_first',
  ) => new PagedBody<Body>(head, list, entries, tail, direction);
}

declare const ofBody: unique symbol;

/** The fields of `head` come before the list, those of `tail` behind it; there are some of both. */
export class PagedBody<Body> {
  declare readonly [ofBody]: Body;
  readonly #head: object;
  readonly #list: string;
  readonly #entries: PageEntries<unknown>;
  readonly #tail: object;
  readonly #direction: Direction;

  constructor(head: object, list: string, entries: PageEntries<unknown>, tail: object, direction: Direction) {
    this.#head = head;
    this.#list = list;
    this.#entries = entries;
    this.#tail = tail;
    this.#direction = direction;
  }

  /** Returns the JSON text, of the entries alone where `view` shows them; yields where it can be interrupted. */
  *steps(view?: ListView): Generator<undefined, string> {
    const show = view?.[this.#list];
    const parts: string[] = [];
    const atOnce = this.#entries.entriesPerStep ?? ROWS_PER_STEP;
    for (let from = 0; from < this.#entries.length; from += atOnce) {
      // What came before the first step was the reading of all rows.
      if (this.#entries.length > atOnce) yield;
      const entries = this.#entries.slice(from, from + atOnce);
      parts.push(JSON.stringify(show === undefined ? entries : this.#shown(entries, show)).slice(1, -1));
    }
    if (show !== undefined) return `[${(this.#direction === 'oldest_first' ? parts : parts.reverse()).join(',')}]`;
    const [head, tail] = [JSON.stringify(this.#head).slice(0, -1), JSON.stringify(this.#tail).slice(1)];
    return `${head},${JSON.stringify(this.#list)}:[${parts.join(',')}],${tail}`;
  }

  /** Oldest first. */
  #shown(entries: readonly unknown[], show: (entry: never) => unknown): readonly unknown[] {
    const shown = entries.map((entry) => show(entry as never));
    return this.#direction === 'oldest_first' ? shown : shown.reverse();
  }
}
