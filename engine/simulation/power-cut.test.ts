/**
 * Cuts the power at every operation of a run. OPENPERP_POWER_CUT_SEEDS is the number of short runs (12 by default),
 * OPENPERP_POWER_CUT_FIRST_SEED their first seed. There is a long run of each kind for ten short ones, and at most four.
 */
import { describe, expect, it, test } from 'vitest';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import type { Submission } from '#writer/port/submit.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import type { PowerCutPlan } from './power-cut-run.ts';
import { runPowerCut } from './power-cut-run.ts';
import { SCENARIO_MARKET } from './scenario.ts';
import { seededRandom } from './seeded-random.ts';
import { toyRules } from './toy-ledger.ts';
import { digestOf } from './toy-writer.ts';

const REPORT_INTERVAL_MS = 5_000;
const SEEDS = Number(process.env.OPENPERP_POWER_CUT_SEEDS ?? 12);
const LONG_SEEDS = [1, 2, 3, 4].slice(0, Math.max(1, Math.floor(SEEDS / 10)));
const FIRST_SEED = Number(process.env.OPENPERP_POWER_CUT_FIRST_SEED ?? 1);

/** About two thirds have an idempotency key. */
function submissionsOf(commands: readonly Command[], seed: number): readonly Submission[] {
  const random = seededRandom(seed);
  return commands.map((command, index) =>
    random() < 0.65
      ? { command, idempotency: { keyDigest: digestOf(`key ${index}`), bodyDigest: digestOf(JSON.stringify(command)) } }
      : { command },
  );
}

function toyCommands(): readonly Command[] {
  const opens: Command[] = [1, 2, 3].map((number) => ({
    type: 'OpenAccount',
    label: `toy ${number}`,
    partyId: '',
    digestSeed: 7,
  }));
  const credits: Command[] = Array.from({ length: 40 }, (_, index) => ({
    type: 'CreditCash',
    account: ((index % 4) + 1) as AccountOrdinal,
    amountAtoms: (index + 1) as QuoteAtoms,
    reference: 'x'.repeat((index * 37) % 900) + index,
  }));
  return [...opens, ...credits];
}

/** Two accounts, one quoting and one taking, so that orders rest, fill and are refused. */
function venueCommands(): readonly Command[] {
  const accounts = [1, 2] as AccountOrdinal[];
  const orders: Command[] = Array.from({ length: 30 }, (_, index) => ({
    type: 'PlaceOrder',
    account: accounts[index % 2]!,
    market: 1 as MarketOrdinal,
    clientOrderId: `order ${index}`,
    side: index % 4 < 2 ? 'buy' : 'sell',
    terms: {
      kind: 'limit',
      priceAtoms: (10_000 + (index % 5)) as PriceAtoms,
      quantityAtoms: (index + 1) as BaseAtoms,
      postOnly: false,
    },
    reduceOnly: false,
    leverageHundredths: 0,
    idempotencyKey: `key ${index}`,
  }));
  return [
    { type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open' },
    {
      type: 'PublishIndexPrice',
      market: 1 as MarketOrdinal,
      priceAtoms: 10_000 as PriceAtoms,
      observedAtEpochMs: 1_700_000_000_000 as EpochMs,
    },
    ...accounts.map(
      (account): Command => ({ type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: 7 }),
    ),
    ...accounts.map(
      (account): Command => ({
        type: 'CreditCash',
        account,
        amountAtoms: 1_000_000_000 as QuoteAtoms,
        reference: `start ${account}`,
      }),
    ),
    ...orders,
  ];
}

/** Cuts at every operation of the run, until a run ends before its cut. */
async function cutEverywhere(plan: Omit<PowerCutPlan, 'cutAt'>) {
  const failures: string[] = [];
  let tornTails = 0;
  for (let cutAt = 1; ; cutAt += 1) {
    try {
      const outcome = await runPowerCut({ ...plan, cutAt });
      if (!outcome.wasTruncated) return { operations: cutAt - 1, tornTails, failures };
      tornTails += outcome.tornTails;
    } catch (cause) {
      failures.push(`cut at operation ${cutAt}: ${String(cause)}`);
    }
  }
}

const subjects: readonly [string, StateMachineRules, readonly Command[]][] = [
  ['a toy ledger', toyRules, toyCommands()],
  ['the venue', venueRules, venueCommands()],
];

/** The setup and a few consecutive orders. The seed chooses the first one. */
function subsetOf(commands: readonly Command[], seed: number): readonly Command[] {
  const random = seededRandom(seed);
  const { setup = [], orders = [] } = Object.groupBy(commands, ({ type }) => (type === 'PlaceOrder' ? 'orders' : 'setup'));
  if (orders.length === 0) return setup.slice(0, 8 + Math.floor(random() * 8));
  const from = Math.floor(random() * 20);
  return [...setup, ...orders.slice(from, from + 3 + Math.floor(random() * 5))];
}

test(`loses and repeats nothing when the power is cut at every operation of ${SEEDS} short runs`, {
  timeout: 600_000 + SEEDS * 2_000,
}, async () => {
  let [cuts, tornTails, reportedAtMs] = [0, 0, performance.now()];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
    const [, rules, commands] = subjects[seed % 4 === 0 ? 0 : 1]!;
    const outcome = await cutEverywhere({ rules, submissions: submissionsOf(subsetOf(commands, seed), seed), seed });
    const repeat = `OPENPERP_POWER_CUT_FIRST_SEED=${seed} OPENPERP_POWER_CUT_SEEDS=1 npx vitest run engine/simulation/power-cut.test.ts -t short`;
    expect(outcome.failures, `to repeat: ${repeat}`).toEqual([]);
    cuts += outcome.operations;
    tornTails += outcome.tornTails;
    if (performance.now() - reportedAtMs < REPORT_INTERVAL_MS && seed + 1 < FIRST_SEED + SEEDS) continue;
    reportedAtMs = performance.now();
    console.log(`${seed + 1 - FIRST_SEED} of ${SEEDS} runs: ${cuts} cuts, ${tornTails} torn tails, nothing lost`);
  }
  expect(cuts).toBeGreaterThan(20 * SEEDS);
  if (SEEDS > 10) expect(tornTails).toBeGreaterThan(SEEDS);
});

describe.each(subjects)('a power cut at every operation of %s', (_name, rules, commands) => {
  it.each(LONG_SEEDS)('loses and repeats nothing (seed %i)', async (seed) => {
    const { operations, tornTails, failures } = await cutEverywhere({ rules, submissions: submissionsOf(commands, seed), seed });
    expect(failures).toEqual([]);
    expect(operations).toBeGreaterThan(60);
    expect(tornTails).toBeGreaterThan(0);
  });

  it('is found by the audit when responses precede their sync', async () => {
    const submissions = submissionsOf(commands, 1);
    const { failures } = await cutEverywhere({ rules, submissions, seed: 1, syncsLie: true });
    expect(failures.join()).toMatch(/was answered, and is gone or changed/);
  });
});
