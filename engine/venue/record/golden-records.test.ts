/**
 * Records as earlier programs wrote them: `testing/golden-records.jsonl` has several of every type. Lines may only be added, because
 * journals contain these bytes: `npx vitest run engine/venue/record/golden-records.test.ts -u` adds those of new types.
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
import { anyCommand } from './testing/commands.ts';
import { anyEvent } from './testing/events.ts';

type Golden = { readonly bytes: string } & ({ readonly command: Command } | { readonly event: VenueEvent });

const FILE = join(import.meta.dirname, 'testing/golden-records.jsonl');
const lines = readFileSync(FILE, 'utf8').trimEnd().split('\n');
const golden = lines.map((line) => JSON.parse(line) as Golden);
const commands = golden.flatMap((it) => ('command' in it ? [it] : []));
const events = golden.flatMap((it) => ('event' in it ? [it] : []));

function hexOf(bytes: ByteWriter): string {
  return Buffer.from(bytes.copy()).toString('hex');
}

const LINES_OF_TYPE = 4;
/** Draws that yield enough writable records of every type. */
const DRAWS = 10_000;

function typesWithout(layouts: object, records: readonly { readonly type: string }[]): readonly string[] {
  const known = new Set(records.map(({ type }) => type));
  return Object.keys(layouts).filter((type) => !known.has(type));
}

/** Lines for these types, the same in every run. */
function drawn<Kind extends { readonly type: string }>(
  any: fc.Arbitrary<Kind>,
  types: readonly string[],
  write: (bytes: ByteWriter, it: Kind) => void,
  name: string,
): readonly string[] {
  if (types.length === 0) return [];
  const records = fc.sample(any, { seed: 1, numRuns: DRAWS });
  return types.flatMap((type) =>
    records
      .filter((record) => record.type === type && isWritable(record, write))
      .slice(0, LINES_OF_TYPE)
      .map((record) => JSON.stringify({ [name]: record, bytes: hexOf(written(record, write)) })),
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
  test('include every type', async () => {
    const missing = [
      ...drawn(
        anyCommand,
        typesWithout(
          COMMANDS,
          commands.map(({ command }) => command),
        ),
        writeCommand,
        'command',
      ),
      ...drawn(
        anyEvent,
        typesWithout(
          EVENTS,
          events.map(({ event }) => event),
        ),
        writeEvent,
        'event',
      ),
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
