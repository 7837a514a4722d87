/**
 * Records as earlier programs wrote them: `testing/golden-records.jsonl` has several of every type and form. Lines may only be added,
 * because journals contain these bytes: `npx vitest run engine/venue/record/golden-records.test.ts -u` adds those of new tags.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import type { VenueEvent } from '#venue/event.ts';
import { readCommand, writeCommand } from './command-record.ts';
import { ByteReader, ByteWriter, MalformedRecord } from './cursor.ts';
import { EVENTS } from './event-layouts.ts';
import { readEvent } from './event-reader.ts';
import { EventWriter } from './event-writer.ts';
import { formsOf, layoutsOf } from './layout.ts';
import { anyCommand } from './testing/commands.ts';
import { anyEvent } from './testing/events.ts';

type GoldenRecord = { readonly bytes: string } & ({ readonly command: Command } | { readonly event: VenueEvent });

const FILE = join(import.meta.dirname, 'testing/golden-records.jsonl');
const lines = readFileSync(FILE, 'utf8').trimEnd().split('\n');
const golden = lines.map((line) => JSON.parse(line) as GoldenRecord);
const commands = golden.flatMap((it) => ('command' in it ? [it] : []));
const events = golden.flatMap((it) => ('event' in it ? [it] : []));

function hexOf(bytes: ByteWriter): string {
  return Buffer.from(bytes.copy()).toString('hex');
}

const LINES_OF_TAG = 4;
/** Draws that yield enough writable records of every tag. */
const DRAWS = 10_000;

/** The tags without a golden record. A tag is the first byte. */
function tagsWithout(forms: readonly { readonly tag: number }[], records: readonly GoldenRecord[]): readonly number[] {
  const known = new Set(records.map(({ bytes }) => tagOf(bytes)));
  return forms.map(({ tag }) => tag).filter((tag) => !known.has(tag));
}

function tagOf(hex: string): number {
  return Number.parseInt(hex.slice(0, 2), 16);
}

/** Lines for these tags, the same in every run. */
function drawn<Kind extends { readonly type: string }>(
  any: fc.Arbitrary<Kind>,
  tags: readonly number[],
  write: (bytes: ByteWriter, it: Kind) => void,
  name: string,
): readonly string[] {
  if (tags.length === 0) return [];
  const writable = fc.sample(any, { seed: 1, numRuns: DRAWS }).filter((record) => isWritable(record, write));
  const records = writable.map((record) => ({ record, bytes: hexOf(written(record, write)) }));
  return tags.flatMap((tag) =>
    records
      .filter(({ bytes }) => tagOf(bytes) === tag)
      .slice(0, LINES_OF_TAG)
      .map(({ record, bytes }) => JSON.stringify({ [name]: record, bytes })),
  );
}

function written<Kind>(it: Kind, write: (bytes: ByteWriter, it: Kind) => void): ByteWriter {
  const bytes = new ByteWriter(8);
  write(bytes, it);
  return bytes;
}

function isWritable<Kind>(it: Kind, write: (bytes: ByteWriter, it: Kind) => void): boolean {
  try {
    written(it, write);
    return true;
  } catch (error) {
    if (error instanceof MalformedRecord) return false;
    throw error;
  }
}

function writeEvent(bytes: ByteWriter, event: VenueEvent): void {
  new EventWriter(bytes).emit(event);
}

describe('golden records', () => {
  test('include every type, in all of its forms', async () => {
    const missing = [
      ...drawn(anyCommand, tagsWithout(formsOf<Command>(layoutsOf(COMMANDS)), commands), writeCommand, 'command'),
      ...drawn(anyEvent, tagsWithout(formsOf<VenueEvent>(EVENTS), events), writeEvent, 'event'),
    ];
    await expect(`${[...lines, ...missing].join('\n')}\n`).toMatchFileSnapshot(FILE);
  });

  test('are read as the values that were written', () => {
    for (const { command, bytes } of commands) expect(readCommand(readerOf(bytes))).toEqual(command);
    for (const { event, bytes } of events) expect(readEvent(readerOf(bytes))).toEqual(event);
  });

  test('are written as the same bytes', () => {
    for (const { command, bytes } of commands) expect(hexOf(written(command, writeCommand)), command.type).toBe(bytes);
    for (const { event, bytes } of events) {
      expect(hexOf(written(event, writeEvent)), event.type).toBe(bytes);
      const name = (event.type[0]!.toLowerCase() + event.type.slice(1)) as 'cashPosted';
      if (!(name in EventWriter.prototype)) continue;
      const byMethod = written(event, (bytes) => new EventWriter(bytes)[name](event as never));
      expect(hexOf(byMethod), `${event.type}, by its own method`).toBe(bytes);
    }
  });
});

function readerOf(bytes: string): ByteReader {
  return new ByteReader(Buffer.from(bytes, 'hex'));
}
