import { expect, test } from 'vitest';
import { readCommand, writeCommand } from './command-record.ts';
import { ByteReader, ByteWriter, MalformedRecord } from './cursor.ts';
import { readEvent } from './event-reader.ts';

const opening = { type: 'OpenAccount', label: 'Zoë 🚀', partyId: 'party', digestSeed: 2 ** 32 - 1 } as const;

function bytesOf(label: string): Uint8Array<ArrayBuffer> {
  const bytes = new ByteWriter(8);
  writeCommand(bytes, { ...opening, label });
  return bytes.copy();
}

test('a command comes back as it was written, also through a buffer that had to grow', () => {
  expect(readCommand(new ByteReader(bytesOf(opening.label)))).toEqual(opening);
});

test('a text that UTF-8 cannot hold, or that is too long, is not written', () => {
  for (const label of ['\ud83d', 'a\udc00b', 'x'.repeat(65_536)]) expect(() => bytesOf(label)).toThrow(MalformedRecord);
});

test('bytes that end early, or have a tag that nobody wrote, are no record', () => {
  const whole = bytesOf(opening.label);
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => readCommand(new ByteReader(whole.subarray(0, length)))).toThrow(MalformedRecord);
  }
  expect(() => readCommand(new ByteReader(Uint8Array.of(250)))).toThrow(MalformedRecord);
  expect(() => readEvent(new ByteReader(Uint8Array.of(250)))).toThrow(MalformedRecord);
});

test('numbers are exact integers both ways', () => {
  const bytes = new ByteWriter();
  for (const value of [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) bytes.int(value);
  const reader = new ByteReader(bytes.copy());
  expect([reader.int(), reader.int(), reader.int(), reader.int(), reader.isAtEnd]).toEqual([
    0,
    -1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    true,
  ]);
  const half = new ByteWriter();
  half.int(0.5);
  expect(() => new ByteReader(half.copy()).int()).toThrow(MalformedRecord);
});
