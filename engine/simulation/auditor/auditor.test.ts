/** The auditor finds events that are left out, published twice or unknown. `planted/any-field.test.ts` changes their fields. */
import { expect, test } from 'vitest';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import { Faults } from '#simulation/world/faults.ts';
import { RandomSource } from '#simulation/world/random-source.ts';
import { Population } from '#simulation/world/workload/population.ts';
import { PriceFeed } from '#simulation/world/workload/price-feed.ts';
import { PublicView } from '#simulation/world/workload/public-view.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { UNSTORED_REFUSALS } from '#venue/refusal.ts';
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { AuditFailed } from './audit-failed.ts';
import { Auditor } from './auditor.ts';

const SEED = 5;
const OPERATIONS = 1_000;
const SAMPLES = 3;
/** A fault shows at once, or as soon as something depends on it. */
const RECORDS_TO_SHOW = 120;

/** The journal of a venue with random traders. */
function recordsOf(seed: number): CommittedRecord[] {
  const random = new RandomSource(seed);
  const population = new Population(random.fork());
  const view = new PublicView();
  const venue = new Venue();
  const records: CommittedRecord[] = [];
  let epochMs = 1_700_000_000_000;
  const feed = new PriceFeed(new Faults(random.fork()), random.fork());
  const scene = { view, feed, nowEpochMs: () => epochMs };
  const operate = (command: Command): void => {
    epochMs += random.between(0, 2_000);
    const sequenced = { sequence: (records.length + 1) as Sequence, epochMs: epochMs as EpochMs, command };
    const events = eventsOfTurn(venue, sequenced);
    for (const event of events) view.take(event);
    if (!events.every((event) => 'code' in event && UNSTORED_REFUSALS.has(event.code))) records.push({ ...sequenced, events });
  };
  for (const command of population.opening) operate(command);
  while (records.length < OPERATIONS) {
    const next = population.next(scene);
    if (next !== undefined) operate(next.command);
  }
  return records;
}

interface Place {
  readonly record: number;
  readonly event: number;
}

function isFound(
  records: readonly CommittedRecord[],
  { record, event }: Place,
  change: (event: VenueEvent) => VenueEvent[],
): boolean {
  const auditor = new Auditor();
  try {
    for (const it of records.slice(0, record)) auditor.take(it);
    const { events, ...rest } = records[record]!;
    auditor.take({ ...rest, events: events.flatMap((one, place) => (place === event ? change(one) : [one])) });
    for (const it of records.slice(record + 1, record + RECORDS_TO_SHOW)) auditor.take(it);
    return false;
  } catch (cause) {
    expect(cause).toBeInstanceOf(AuditFailed);
    return true;
  }
}

/** From all of the run. */
function samplesOf(places: readonly Place[]): readonly Place[] {
  return Array.from({ length: SAMPLES }, (_, sample) => places[Math.floor((places.length * sample) / SAMPLES)]!);
}

const records = recordsOf(SEED);

test('finds nothing in a run without a fault', () => {
  const auditor = new Auditor();
  for (const record of records) auditor.take(record);
  expect(auditor.accounts.count).toBeGreaterThan(5);
});

/** Omitting or repeating one of these has no effect. */
const UNCOUNTED = ['MarketWorkPending'];

test.each(['left out', 'published twice'])('finds every event that is %s', (how) => {
  const types = new Map<string, Place[]>();
  for (const [record, { events }] of records.entries())
    for (const [event, { type }] of events.entries()) types.set(type, [...(types.get(type) ?? []), { record, event }]);
  const change = (event: VenueEvent) => (how === 'left out' ? [] : [event, event]);
  const missed = [...types].filter(([, places]) => !samplesOf(places).every((place) => isFound(records, place, change)));
  expect(missed.map(([type]) => type).filter((type) => !UNCOUNTED.includes(type))).toEqual([]);
});

test('finds an event that it does not know', () => {
  const [record] = records;
  const unknown = { type: 'MoneyMinted', amountAtoms: 1 } as unknown as VenueEvent;
  expect(() => new Auditor().take({ ...record!, events: [...record!.events, unknown] })).toThrow('causes no MoneyMinted');
});
