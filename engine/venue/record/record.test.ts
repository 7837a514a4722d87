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

test('reads a command as it was written, also if the buffer had to grow', () => {
  expect(readCommand(new ByteReader(bytesOf(opening.label)))).toEqual(opening);
});

test('refuses to write a text with a lone surrogate or of more than 65,535 bytes', () => {
  for (const label of ['\ud83d', 'a\udc00b', 'x'.repeat(65_536)]) expect(() => bytesOf(label)).toThrow(MalformedRecord);
});

test('reads texts as they were written: empty, ASCII, wide, with a byte order mark, of the maximum length', () => {
  for (const length of [0, 1, 63, 64, 65, 65_535]) {
    for (const label of ['x'.repeat(length), `${'x'.repeat(Math.max(0, length - 2))}é`, '\ufeffx', '\ufffd', '\0\x7f\x80']) {
      expect(readCommand(new ByteReader(bytesOf(label)))).toEqual({ ...opening, label });
    }
  }
});

test('rejects a text that is not UTF-8', () => {
  // A lone continuation byte, a lone start byte, a truncated sequence, overlong, a surrogate, beyond U+10FFFF, an invalid byte.
  for (const broken of [[0x80], [0xc3], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff]]) {
    for (const before of ['', 'x', 'x'.repeat(100)]) {
      const text = Uint8Array.of(...new TextEncoder().encode(before), ...broken);
      const bytes = Uint8Array.of(text.length, 0, ...text);
      expect(() => new ByteReader(bytes).text()).toThrow(MalformedRecord);
    }
  }
});

test('rejects bytes that end early or have an unknown tag', () => {
  const whole = bytesOf(opening.label);
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => readCommand(new ByteReader(whole.subarray(0, length)))).toThrow(MalformedRecord);
  }
  expect(() => readCommand(new ByteReader(Uint8Array.of(250)))).toThrow(MalformedRecord);
  expect(() => readEvent(new ByteReader(Uint8Array.of(250)))).toThrow(MalformedRecord);
});

test('writes and reads safe integers exactly, and rejects a fraction', () => {
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

test('writes a key that never expires as before keys could expire, in its command and in its event', () => {
  const fields = { account: 1, keyId: 'k', digest: 'd', scopes: ['read' as const], label: 'l', expiresAtEpochMs: 0 } as never;
  const command = new ByteWriter();
  writeCommand(command, Object.assign({ type: 'IssueApiKey' as const }, fields));
  // The tag, the account, then each text after its length; the list after its own.
  const expected = ['06', '000000000000f03f', '01006b', '010064', '010000', '01006c'];
  expect(Buffer.from(command.copy()).toString('hex')).toBe(expected.join(''));
  const event = new ByteWriter();
  new EventWriter(event).emit(Object.assign({ type: 'ApiKeyIssued' as const }, fields));
  expect(Buffer.from(event.copy()).toString('hex')).toBe(['06', '01000000', ...expected.slice(2)].join(''));
});
