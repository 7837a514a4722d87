import { expect, test } from 'vitest';
import { barsOfColumns, generateCandles } from '#agents/indicators/testing/candle-columns.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { LIMITS } from './limits.ts';
import { resolveParameters } from './parameters.ts';
import { reviewScript } from './review.ts';
import { ScriptRun, type ScriptState } from './run.ts';
import { hostileScript } from './testing/hostile-scripts.ts';
import { TEST_MARKET } from './testing/script-runs.ts';

/** `OPENPERP_HOSTILE_SCRIPTS=10000` for a release; `OPENPERP_HOSTILE_SCRIPT_SEED` repeats one. */
const SCRIPTS = Number(process.env.OPENPERP_HOSTILE_SCRIPTS ?? 200);
const ONE = process.env.OPENPERP_HOSTILE_SCRIPT_SEED;
const SEEDS = ONE === undefined ? Array.from({ length: SCRIPTS }, (_, index) => index + 1) : [Number(ONE)];

const BARS = barsOfColumns(generateCandles(25, seededRandom(5)));

interface Tally {
  refused: number;
  ran: number;
  ended: number;
  actions: number;
}

/** Throws if the script breaks a promise. */
function play(seed: number, tally: Tally): void {
  const random = seededRandom(seed);
  const result = reviewScript(hostileScript(random));
  if ('refusals' in result) {
    expect(result.refusals.length).toBeGreaterThan(0);
    expect(result.refusals.length).toBeLessThanOrEqual(LIMITS.refusals);
    for (const { line, column, reason, remedy } of result.refusals) {
      expect(line >= 1 && column >= 1 && reason.length > 0 && remedy.length > 0 && reason.length < 400, reason).toBe(true);
    }
    tally.refused += 1;
    return;
  }
  const { program, review } = result;
  expect(review.cells).toBeLessThanOrEqual(LIMITS.cells);
  const resolved = resolveParameters(program.parameters, {});
  const open = () => {
    const opened = ScriptRun.open(program, 'values' in resolved ? resolved.values : [], TEST_MARKET);
    if ('refusals' in opened) throw new Error('the review opened it before');
    return opened.run;
  };
  const run = open();
  let twin = open();
  tally.ran += 1;
  for (const bar of BARS) {
    const quantityAtoms = Math.round((random() - 0.5) * 4) * 1000;
    const position = { quantityAtoms, averagePriceAtoms: quantityAtoms === 0 ? null : bar.openAtoms };
    const outcome = run.onBar(bar, position);
    const state = JSON.parse(JSON.stringify(twin.save())) as ScriptState;
    twin = open();
    expect(twin.restore(state)).toBe(true);
    expect(twin.onBar(bar, position)).toEqual(outcome);
    if ('end' in outcome) {
      tally.ended += 1;
      return;
    }
    expect(outcome.fuel).toBeLessThanOrEqual(LIMITS.fuelPerBar);
    expect(outcome.actions.length).toBeLessThanOrEqual(LIMITS.actionsPerBar);
    for (const action of outcome.actions) {
      if (action.kind === 'entry' && action.quantityAtoms !== null)
        expect(Number.isSafeInteger(action.quantityAtoms) && action.quantityAtoms > 0).toBe(true);
    }
    tally.actions += outcome.actions.length;
  }
}

test(`reviews and runs ${SEEDS.length} hostile scripts within their limits`, () => {
  const tally: Tally = { refused: 0, ran: 0, ended: 0, actions: 0 };
  for (const seed of SEEDS) {
    try {
      play(seed, tally);
    } catch (error) {
      console.error(`Repeat it: OPENPERP_HOSTILE_SCRIPT_SEED=${seed} npx vitest run engine/agents/script/hostile.test.ts`);
      throw error;
    }
  }
  console.log(`hostile scripts: ${JSON.stringify(tally)}`);
  if (ONE !== undefined) return;
  // Otherwise the interpreter would not be tested.
  expect(tally.ran).toBeGreaterThan(SCRIPTS / 10);
  expect(tally.refused).toBeGreaterThan(SCRIPTS / 4);
  expect(tally.ended).toBeGreaterThan(SCRIPTS / 200);
  expect(tally.actions).toBeGreaterThan(SCRIPTS / 10);
});
