/** A long list is rendered in steps, with the same text as at once. */
import { expect, test } from 'vitest';
import { pagedBody, ROWS_PER_STEP } from './paged-body.ts';
import { finished } from './resource-reads.ts';

interface Whole {
  readonly version: 'v1';
  readonly rows: readonly number[];
  readonly isLast: boolean;
}

/** A page of `length` rows; `taken` lists the length of each rendered slice. */
function page(length: number) {
  const taken: number[] = [];
  const slice = (from: number, to: number) => {
    const rows = Array.from({ length }, (_, row) => row).slice(from, to);
    taken.push(rows.length);
    return rows;
  };
  return { body: pagedBody<Whole>()({ version: 'v1' }, 'rows', { length, slice }, { isLast: true }), taken };
}

test.each([0, 1, ROWS_PER_STEP, ROWS_PER_STEP + 1, 10 * ROWS_PER_STEP, 500])(
  'renders %i rows as the JSON of the whole',
  (length) => {
    const whole: Whole = { version: 'v1', rows: Array.from({ length }, (_, row) => row), isLast: true };
    expect(finished(page(length).body.steps())).toBe(JSON.stringify(whole));
  },
);

test('renders at most ROWS_PER_STEP rows in a step', () => {
  const { body, taken } = page(3 * ROWS_PER_STEP + 1);
  const steps = body.steps();
  expect([steps.next().done, taken]).toEqual([false, []]);
  expect([steps.next().done, taken]).toEqual([false, [ROWS_PER_STEP]]);
  finished(steps);
  expect(taken).toEqual([ROWS_PER_STEP, ROWS_PER_STEP, ROWS_PER_STEP, 1]);
});

test('renders a short page in one step', () => {
  expect(page(ROWS_PER_STEP).body.steps().next().done).toBe(true);
});

test.each(['oldest_first', 'newest_first'] as const)(
  'shows only its entries in a view, oldest first, if they are %s',
  (direction) => {
    const newest = 3 * ROWS_PER_STEP;
    const ascending = Array.from({ length: newest }, (_, row) => row + 1);
    const entries = direction === 'oldest_first' ? ascending : ascending.toReversed();
    const body = pagedBody<Whole>()({ version: 'v1' }, 'rows', entries, { isLast: true }, direction);
    expect(JSON.parse(finished(body.steps({ rows: (row: number) => [row] })))).toEqual(ascending.map((row) => [row]));
    expect(JSON.parse(finished(body.steps({ others: () => null })))).toEqual({ version: 'v1', rows: entries, isLast: true });
  },
);
