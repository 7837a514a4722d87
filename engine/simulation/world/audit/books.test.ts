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
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/submit.ts';
import { AuditFailed } from './audit-failed.ts';
import { Books } from './books.ts';

/** Fields that the books have no opinion on: names, prices, times, and what only follows from those. */
const UNAUDITED: readonly string[] = [];

const OPERATIONS = 1_500;
const SAMPLES = 4;

/** What happened to a venue that everybody traded on. */
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
    records.push({ ...sequenced, events });
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

function isNoticed(records: readonly CommittedRecord[], { record, event }: Place, change: (event: Fields) => Fields): boolean {
  const books = new Books();
  try {
    for (const [index, it] of records.entries()) {
      const events = index === record ? it.events.with(event, change(it.events[event] as unknown as Fields) as unknown as VenueEvent) : it.events;
      books.take({ ...it, events });
    }
    return false;
  } catch (cause) {
    expect(cause).toBeInstanceOf(AuditFailed);
    return true;
  }
}

test('a run that is right is right, and everything false in it is noticed', { timeout: 120_000 }, () => {
  const unnoticed = new Set<string>();
  for (const seed of [3, 5]) {
    const records = recordsOf(seed);
    const books = new Books();
    for (const record of records) books.take(record);
    for (const [name, { places, texts }] of fieldsOf(records)) {
      const field = name.slice(name.indexOf('.') + 1);
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const place = places[Math.floor((places.length * sample) / SAMPLES)]!;
        const change = (event: Fields): Fields => ({ ...event, [field]: falsified(event[field], texts) });
        if (!isNoticed(records, place, change)) unnoticed.add(name);
      }
    }
  }
  expect([...unnoticed].sort()).toEqual([...UNAUDITED].sort());
});
