/** Each move sends commands that the venue accepts, at least with some of its values. */
import { expect, test } from 'vitest';
import { seededRandom } from '#simulation/seeded-random.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { draw } from './argument.ts';
import { MOVE_NAMES, MOVES } from './moves.ts';
import { stageOf } from './stage.ts';
import { Table } from './table.ts';

const ATTEMPTS = 60;

test.each(MOVE_NAMES)('%s is accepted', (name) => {
  const random = seededRandom(1);
  const accepted = Array.from({ length: ATTEMPTS }, (_, seed) => {
    const table = new Table(stageOf(seed + 1), RISK_RULES);
    // Accounts 1 and 2 have a position and an order each.
    MOVES.pair.play(table, [1, 1, 0, 200, 10]);
    for (const account of [1, 2]) table.limit(account, 'buy', 90_000, 1_000);
    let count = 0;
    table.observe = (_command, events) => {
      if (events.length > 0 && events[0]!.type !== 'CommandRefused') count += 1;
    };
    MOVES[name].play(
      table,
      MOVES[name].arguments.map((of) => draw(random, of)),
    );
    return count;
  });
  expect(Math.max(...accepted)).toBeGreaterThan(0);
});
