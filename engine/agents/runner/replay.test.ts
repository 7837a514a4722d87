/** What a journal has of agents is repeatable: its commands give the same events and state, and its candles the same commands. */
import { expect, test } from 'vitest';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { VenueEvent } from '#venue/event.ts';
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { RunnerVenue } from './testing/runner-venue.ts';

const MINUTES = 80;
const SCRIPT = `//@version=6
strategy("Cross")
fast = ta.ema(close, 3)
slow = ta.sma(close, 8)
if ta.crossover(fast, slow)
    strategy.entry("Long", strategy.long)
if ta.crossunder(fast, slow)
    strategy.entry("Short", strategy.short)
strategy.exit("Guard", profit = 30, loss = 25)
`;

async function traded(): Promise<{ venue: RunnerVenue; records: CommittedRecord[] }> {
  const venue = new RunnerVenue();
  const records: CommittedRecord[] = [];
  const { run } = venue.scenario;
  venue.scenario.run = (command) => {
    const events = run.call(venue.scenario, command);
    records.push({ sequence: venue.scenario.sequence, epochMs: venue.scenario.now, command, events });
    return events;
  };
  for (let minute = -5; minute < 0; minute += 1) venue.bar(minute, 10_000 + minute);
  for (let count = 0; count < 3; count += 1) venue.deploy(SCRIPT, { orderSizeAtoms: (5 + count) as never });
  await venue.runner.settled();
  for (let minute = 0; minute < MINUTES; minute += 1) {
    venue.bar(minute, 10_000 + ((minute * 53) % 97) - 48);
    await venue.reach(minute + 1);
  }
  expect(venue.errors).toEqual([]);
  return { venue, records };
}

test('the same candles and book give a new runner the same commands, byte for byte', async () => {
  const [first, second] = [await traded(), await traded()];
  const placed = first.records.filter(({ command }) => command.type === 'PlacePaperOrder');
  expect(placed.length).toBeGreaterThan(30);
  expect(JSON.stringify(second.records)).toBe(JSON.stringify(first.records));
});

test('a replay of the records gives the same events and the same state', async () => {
  const repeated: VenueEvent[][] = [];
  // The records of the setup are in the state that both start from.
  const { records, venue: original } = await traded();
  const setup = new RunnerVenue();
  const restored = Venue.restore(setup.scenario.venue.snapshot());
  for (const record of records) repeated.push(eventsOfTurn(restored, record));
  expect(JSON.stringify(repeated)).toBe(JSON.stringify(records.map(({ events }) => events)));
  expect(Buffer.from(restored.snapshot()).equals(original.scenario.venue.snapshot())).toBe(true);
});
