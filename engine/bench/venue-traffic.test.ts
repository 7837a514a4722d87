import { expect, test } from 'vitest';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { FLOW_START_EPOCH_MS } from './turn-commands.ts';
import { SMALL_VENUE, VenueTraffic } from './venue-traffic.ts';

const clock = { now: () => FLOW_START_EPOCH_MS as EpochMs };

function run(seed: number, operations: number): { readonly commands: Command[]; readonly traffic: VenueTraffic } {
  const traffic = new VenueTraffic(SMALL_VENUE, seed, clock);
  const venue = traffic.rules.fresh();
  const bytes = new ByteWriter();
  const events = new EventWriter(bytes);
  const commands: Command[] = [];
  const turn = (command: Command) => {
    commands.push(command);
    bytes.reset();
    events.restart();
    venue.turn({ sequence: commands.length as Sequence, epochMs: clock.now(), command }, events);
  };
  for (const command of traffic.opening()) turn(command);
  for (const command of traffic.operations(operations)) turn(command);
  return { commands, traffic };
}

test('keeps the books at their depth while orders cross and are cancelled', () => {
  const { commands, traffic } = run(1, 20_000);
  // It throws otherwise.
  expect(traffic.openOrders).toBeGreaterThan(0);
  const count = (type: Command['type']) => commands.filter((command) => command.type === type).length;
  const crossing = commands.filter((command) => command.type === 'PlaceOrder' && command.terms.kind === 'market').length;
  expect(count('CancelOrder')).toBeGreaterThan(4_000);
  expect(crossing).toBeGreaterThan(3_000);
  expect(count('PublishIndexPrice')).toBeGreaterThan(SMALL_VENUE.markets);
});

test('generates the same traffic for the same seed only', () => {
  expect(run(2, 500).commands).toEqual(run(2, 500).commands);
  expect(run(3, 500).commands).not.toEqual(run(2, 500).commands);
});

test('detects books that were never built up', () => {
  expect(() => new VenueTraffic(SMALL_VENUE, 1, clock).openOrders).toThrow('0 orders rest');
});
