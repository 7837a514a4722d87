import { expect, test } from 'vitest';
import { NaiveBook, type NaiveOrder } from './naive-book.ts';
import { BooksDiffer, compareBooks } from './naive-book-run.ts';

/** `OPENPERP_BOOK_OPERATIONS=1000000 npx vitest run engine/simulation/naive-book.test.ts` runs as many as it says. */
const OPERATIONS = Number(process.env.OPENPERP_BOOK_OPERATIONS ?? 50_000);
const SEED = Number(process.env.OPENPERP_BOOK_SEED ?? 1);

test('the book does what a sorted list does, command by command', () => {
  const counts = compareBooks(SEED, OPERATIONS);
  if (OPERATIONS < 50_000) return;
  expect(counts.traded).toBeGreaterThan(OPERATIONS / 5);
  expect(counts.rested).toBeGreaterThan(OPERATIONS / 5);
  expect(counts.cancelled).toBeGreaterThan(OPERATIONS / 10);
  // The order that takes on the crowd looks at as many as it may, and what is left of it is told of as well.
  expect(counts.most).toBe(1_001);
});

class LastComeFirstServed extends NaiveBook {
  protected override timeOrder(left: NaiveOrder, right: NaiveOrder): number {
    return right.order - left.order;
  }
}

class TradesWithItself extends NaiveBook {
  protected override isSelfTrade(): boolean {
    return false;
  }
}

class LooksOnceMore extends NaiveBook {
  protected override readonly maxVisitedMakers = 1_001;
}

class ForgetsACancel extends NaiveBook {
  #cancels = 0;

  override cancel(order: number): ReturnType<NaiveBook['cancel']> {
    this.#cancels += 1;
    return this.#cancels === 500 ? [] : super.cancel(order);
  }
}

test.each([
  ['priority by time turned round', LastComeFirstServed],
  ['trading with oneself', TradesWithItself],
  ['one look too many', LooksOnceMore],
  ['a cancel that is forgotten once', ForgetsACancel],
])('a difference shows: %s', (_, Faulty) => {
  expect(() => compareBooks(1, 30_000, () => new Faulty())).toThrow(BooksDiffer);
  expect(() => compareBooks(1, 30_000, () => new Faulty())).toThrow(
    /OPENPERP_BOOK_SEED=1 OPENPERP_BOOK_OPERATIONS=\d+ npx vitest run/,
  );
});
