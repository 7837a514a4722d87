import { expect, test } from 'vitest';
import { NaiveBook, type NaiveOrder } from './naive-book.ts';
import { BooksDiffer, compareBooks } from './naive-book-run.ts';

/** `OPENPERP_BOOK_OPERATIONS=1000000 npx vitest run engine/simulation/naive-book.test.ts` sets the number of commands. */
const OPERATIONS = Number(process.env.OPENPERP_BOOK_OPERATIONS ?? 50_000);
const SEED = Number(process.env.OPENPERP_BOOK_SEED ?? 1);

test('emits the same events as a sorted list for every command', () => {
  const counts = compareBooks(SEED, OPERATIONS);
  if (OPERATIONS < 50_000) return;
  expect(counts.traded).toBeGreaterThan(OPERATIONS / 5);
  expect(counts.rested).toBeGreaterThan(OPERATIONS / 5);
  expect(counts.cancelled).toBeGreaterThan(OPERATIONS / 10);
  // The sweep of the crowd visits 1,000 makers. The cancellation of its rest is one more event.
  expect(counts.maxEvents).toBe(1_001);
});

class NewestFirst extends NaiveBook {
  protected override timeOrder(left: NaiveOrder, right: NaiveOrder): number {
    return right.order - left.order;
  }
}

class TradesWithItself extends NaiveBook {
  protected override isSelfTrade(): boolean {
    return false;
  }
}

class VisitsOneMakerMore extends NaiveBook {
  protected override readonly maxVisitedMakers = 1_001;
}

class IgnoresOneCancel extends NaiveBook {
  #cancels = 0;

  override cancel(order: number): ReturnType<NaiveBook['cancel']> {
    this.#cancels += 1;
    return this.#cancels === 500 ? [] : super.cancel(order);
  }
}

test.each([
  ['reversed time priority', NewestFirst],
  ['self-trades', TradesWithItself],
  ['one visited maker too many', VisitsOneMakerMore],
  ['one ignored cancel', IgnoresOneCancel],
])('finds a difference: %s', (_, Faulty) => {
  expect(() => compareBooks(1, 30_000, () => new Faulty())).toThrow(BooksDiffer);
  expect(() => compareBooks(1, 30_000, () => new Faulty())).toThrow(
    /OPENPERP_BOOK_SEED=1 OPENPERP_BOOK_OPERATIONS=\d+ npx vitest run/,
  );
});
