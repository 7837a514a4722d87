/**
 * What the books notice: every field of every event is falsified in a run that was right, and they must find it. What they
 * do not look at is listed below, so that a new field is either audited or named there.
 */
import { expect, test } from 'vitest';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import { Dice } from '#simulation/world/dice.ts';
import { Faults } from '#simulation/world/faults.ts';
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
import { Books } from './books.ts';

/** Why something was refused, by how much, and what only shows in prices to come: the books have no opinion on these. */
const UNAUDITED: readonly string[] = [
  'CommandRefused.bound',
  'CommandRefused.code',
  'CommandRefused.order',
  'EntryRefused.bound',
  'EntryRefused.code',
  'EntryRefused.order',
  'MarketPriced.indexStatus',
  'MarketPriced.observedAtEpochMs',
];

const SEED = 5;
const OPERATIONS = 1_000;
const SAMPLES = 3;
/** What is false shows at once, or as soon as something builds on it. */
const RECORDS_TO_SHOW = 120;

/** What the journal holds of a venue that everybody traded on. */
function recordsOf(seed: number): CommittedRecord[] {
  const dice = new Dice(seed);
  const population = new Population(dice.fork());
  const view = new PublicView();
  const venue = new Venue();
  const records: CommittedRecord[] = [];
  let epochMs = 1_700_000_000_000;
  const feed = new PriceFeed(new Faults(dice.fork()), dice.fork());
  const scene = { view, feed, nowEpochMs: () => epochMs };
  const operate = (command: Command): void => {
    epochMs += dice.between(0, 2_000);
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

type Fields = Record<string, unknown>;

/** Some places of every field, by `Type.field`, and the texts that the field can have. */
function fieldsOf(records: readonly CommittedRecord[]): Map<string, { places: Place[]; texts: Set<string> }> {
  const fields = new Map<string, { places: Place[]; texts: Set<string> }>();
  for (const [record, { events }] of records.entries()) {
    for (const [event, it] of events.entries()) {
      for (const [name, value] of Object.entries(it)) {
        if (name === 'type') continue;
        const known = fields.get(`${it.type}.${name}`) ?? { places: [], texts: new Set<string>() };
        fields.set(`${it.type}.${name}`, known);
        known.places.push({ record, event });
        if (typeof value === 'string') known.texts.add(value);
      }
    }
  }
  return fields;
}

function falsified(value: unknown, texts: ReadonlySet<string>): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return [...texts].find((text) => text !== value) ?? `${value}?`;
  if (Array.isArray(value)) return [...value, 'more'];
  const [name, inner] = Object.entries(value as Fields).find(([, it]) => typeof it === 'number')!;
  return { ...(value as Fields), [name]: falsified(inner, texts) };
}

function isNoticed(
  records: readonly CommittedRecord[],
  { record, event }: Place,
  change: (event: VenueEvent) => VenueEvent[],
): boolean {
  const books = new Books();
  try {
    for (const it of records.slice(0, record)) books.take(it);
    const { events, ...rest } = records[record]!;
    books.take({ ...rest, events: events.flatMap((one, place) => (place === event ? change(one) : [one])) });
    for (const it of records.slice(record + 1, record + RECORDS_TO_SHOW)) books.take(it);
    return false;
  } catch (cause) {
    expect(cause).toBeInstanceOf(AuditFailed);
    return true;
  }
}

const records = recordsOf(SEED);

test('a run that is right is right', () => {
  const books = new Books();
  for (const record of records) books.take(record);
  expect(books.accounts).toBeGreaterThan(5);
});

/** The names of those whose change was not noticed everywhere. */
function unnoticed(
  names: Iterable<readonly [name: string, places: readonly Place[]]>,
  changeOf: (name: string) => (event: VenueEvent) => VenueEvent[],
): string[] {
  const missed = new Set<string>();
  for (const [name, places] of names) {
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const place = places[Math.floor((places.length * sample) / SAMPLES)]!;
      if (!isNoticed(records, place, changeOf(name))) missed.add(name);
    }
  }
  return [...missed].sort();
}

test('every field that is false is noticed', () => {
  const fields = fieldsOf(records);
  const missed = unnoticed(
    [...fields].map(([name, { places }]) => [name, places] as const),
    (name) => (event) => {
      const field = name.slice(name.indexOf('.') + 1);
      const value = (event as unknown as Fields)[field];
      return [{ ...event, [field]: falsified(value, fields.get(name)!.texts) } as VenueEvent];
    },
  );
  expect(missed).toEqual(UNAUDITED);
});

/** Of these nothing else depends on how often they are told. */
const UNCOUNTED = ['MarketWorkPending'];

test.each(['left out', 'told twice'])('every event that is %s is noticed', (how) => {
  const types = new Map<string, Place[]>();
  for (const [record, { events }] of records.entries())
    for (const [event, { type }] of events.entries()) types.set(type, [...(types.get(type) ?? []), { record, event }]);
  const missed = unnoticed(types, () => (event) => (how === 'left out' ? [] : [event, event]));
  expect(missed.filter((type) => !UNCOUNTED.includes(type))).toEqual([]);
});

test('an event that the books do not know is a failure', () => {
  const [record] = records;
  const unknown = { type: 'MoneyMinted', amountAtoms: 1 } as unknown as VenueEvent;
  expect(() => new Books().take({ ...record!, events: [...record!.events, unknown] })).toThrow('does not know: MoneyMinted');
});
