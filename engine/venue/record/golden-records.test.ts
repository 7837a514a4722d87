/**
 * Records as earlier programs wrote them: `testing/golden-records.jsonl` has several of every type. Lines may only be added, because
 * journals contain these bytes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { readCommand, writeCommand } from './command-record.ts';
import { ByteReader, ByteWriter } from './cursor.ts';
import { readEvent } from './event-reader.ts';
import { EventWriter } from './event-writer.ts';

type Golden = { readonly bytes: string } & ({ readonly command: Command } | { readonly event: VenueEvent });

const FILE = join(import.meta.dirname, 'testing/golden-records.jsonl');
const golden = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Golden);
const commands = golden.flatMap((it) => ('command' in it ? [it] : []));
const events = golden.flatMap((it) => ('event' in it ? [it] : []));

function hexOf(bytes: ByteWriter): string {
  return Buffer.from(bytes.copy()).toString('hex');
}

describe('golden records', () => {
  test('include every type that a journal of version 3 may contain', () => {
    expect(new Set(commands.map(({ command }) => command.type)).size).toBe(21);
    expect(new Set(events.map(({ event }) => event.type)).size).toBe(27);
  });

  test('are read as the values that were written', () => {
    for (const { command, bytes } of commands) expect(readCommand(readerOf(bytes))).toEqual(command);
    for (const { event, bytes } of events) expect(readEvent(readerOf(bytes))).toEqual(event);
  });

  test('are written as the same bytes', () => {
    for (const { command, bytes } of commands) {
      const written = new ByteWriter(8);
      writeCommand(written, command);
      expect(hexOf(written), command.type).toBe(bytes);
    }
    for (const { event, bytes } of events) {
      const written = new ByteWriter(8);
      const writer = new EventWriter(written);
      writer.emit(event);
      expect(hexOf(written), event.type).toBe(bytes);
      const name = (event.type[0]!.toLowerCase() + event.type.slice(1)) as 'cashPosted';
      if (!(name in EventWriter.prototype)) continue;
      written.reset();
      writer[name](event as never);
      expect(hexOf(written), `${event.type}, by its own method`).toBe(bytes);
    }
  });
});

function readerOf(bytes: string): ByteReader {
  return new ByteReader(Buffer.from(bytes, 'hex'));
}
