/**
 * A body with one long list, written out in steps: between two of them the thread can do other work. Its rows were read before the
 * first step, so the body shows one moment however long writing it out takes.
 */

import type { PageEntries } from './reads.ts';

/** 0.2 to 0.4 ms. */
export const ROWS_PER_STEP = 50;

/** Of `Body`, with all that it is made of. */
export function pagedBody<Body>() {
  return <List extends keyof Body & string, Head extends Partial<Omit<Body, List>>>(
    head: Head,
    list: List,
    entries: PageEntries<Body[List] extends readonly (infer Entry)[] ? Entry : never>,
    tail: Omit<Body, List | keyof Head>,
  ) => new PagedBody<Body>(head, list, entries, tail);
}

declare const ofBody: unique symbol;

/** The fields of `head` come before the list, those of `tail` behind it; there are some of both. */
export class PagedBody<Body> {
  declare readonly [ofBody]: Body;
  readonly #head: object;
  readonly #list: string;
  readonly #entries: PageEntries<unknown>;
  readonly #tail: object;

  constructor(head: object, list: string, entries: PageEntries<unknown>, tail: object) {
    this.#head = head;
    this.#list = list;
    this.#entries = entries;
    this.#tail = tail;
  }

  /** Returns the JSON text; yields where it can be interrupted. */
  *steps(): Generator<undefined, string> {
    const { length } = this.#entries;
    const parts: string[] = [];
    for (let from = 0; from < length; from += ROWS_PER_STEP) {
      // What came before the first step was the reading of all rows.
      if (length > ROWS_PER_STEP) yield;
      parts.push(JSON.stringify(this.#entries.slice(from, from + ROWS_PER_STEP)).slice(1, -1));
    }
    const [head, tail] = [JSON.stringify(this.#head).slice(0, -1), JSON.stringify(this.#tail).slice(1)];
    return `${head},${JSON.stringify(this.#list)}:[${parts.join(',')}],${tail}`;
  }
}
