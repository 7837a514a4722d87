import { expect, test } from 'vitest';
import { readCommand, writeCommand } from './command-record.ts';
import { ByteReader, ByteWriter, MalformedRecord } from './cursor.ts';
import { readEvent } from './event-reader.ts';
import { EventWriter } from './event-writer.ts';

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

test('a text comes back to the character: empty, plain, wide, with a mark of byte order, as long as may be', () => {
  for (const length of [0, 1, 63, 64, 65, 65_535]) {
    for (const label of ['x'.repeat(length), `${'x'.repeat(Math.max(0, length - 2))}é`, '\ufeffx', '\ufffd', '\0\x7f\x80']) {
      expect(readCommand(new ByteReader(bytesOf(label)))).toEqual({ ...opening, label });
    }
  }
});

test('a text that is no UTF-8 is malformed', () => {
  // A lone follower, a start alone, one of two missing, overlong, half of a surrogate pair, beyond the last character.
  for (const broken of [[0x80], [0xc3], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff]]) {
    for (const before of ['', 'x', 'x'.repeat(100)]) {
      const text = Uint8Array.of(...new TextEncoder().encode(before), ...broken);
      const bytes = Uint8Array.of(text.length, 0, ...text);
      expect(() => new ByteReader(bytes).text()).toThrow(MalformedRecord);
    }
  }
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

test('a key that never expires is written, asked for and told, as it was before keys could expire', () => {
  const fields = { account: 1, keyId: 'k', digest: 'd', scopes: ['read' as const], label: 'l', expiresAtEpochMs: 0 } as never;
  const command = new ByteWriter();
  writeCommand(command, Object.assign({ type: 'IssueApiKey' as const }, fields));
  // Tag, account, then each text behind its length; a list behind its own.
  const said = ['06', '000000000000f03f', '01006b', '010064', '010000', '01006c'];
  expect(Buffer.from(command.copy()).toString('hex')).toBe(said.join(''));
  const event = new ByteWriter();
  new EventWriter(event).emit(Object.assign({ type: 'ApiKeyIssued' as const }, fields));
  expect(Buffer.from(event.copy()).toString('hex')).toBe(['06', '01000000', ...said.slice(2)].join(''));
});
