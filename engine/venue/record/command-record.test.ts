import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchEntry, Command } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import { readCommand, writeCommand } from './command-record.ts';
import { ByteReader, ByteWriter, MalformedRecord } from './cursor.ts';
import { anyCommand } from './testing/commands.ts';

/** `OPENPERP_RECORD_RUNS=1000000 npx vitest run engine/venue/record` tries 1,000,000 records. */
const RUNS = Number(process.env.OPENPERP_RECORD_RUNS ?? 3_000);

/** The command's bytes, or `undefined` if it cannot be written. */
function bytesOf(command: Command): Uint8Array | undefined {
  const bytes = new ByteWriter(8);
  try {
    writeCommand(bytes, command);
  } catch (error) {
    if (error instanceof MalformedRecord) return undefined;
    throw error;
  }
  return bytes.copy();
}

test('reads every command as it was written, if it can be written', () => {
  const [readable, unwritable] = [new Set<string>(), new Set<string>()];
  fc.assert(
    fc.property(anyCommand, (command) => {
      const bytes = bytesOf(command);
      (bytes === undefined ? unwritable : readable).add(command.type);
      if (bytes === undefined) return;
      const reader = new ByteReader(bytes);
      expect(readCommand(reader)).toEqual(command);
      expect(reader.isAtEnd).toBe(true);
    }),
    { numRuns: RUNS },
  );
  expect([...readable].sort()).toEqual(Object.keys(COMMANDS).sort());
  // Scales, leverage and seed have narrow fields. All other integers can be written, also if they are out of bounds.
  expect([...unwritable].sort()).toEqual([
    'ListMarket',
    'OpenAccount',
    'OpenAgentAccount',
    'PlaceOrder',
    'PlaceOrders',
    'RegisterOwner',
    'SetLeverage',
    'UpdateMarket',
  ]);
});

test('refuses to write a batch that is too long for its count field', () => {
  const orders = (length: number): Command => ({ type: 'CancelOrders', account: 1 as never, orders: Array(length).fill(7) });
  const entry = { market: 1, clientOrderId: 'a', side: 'buy', terms: { kind: 'market', quantityAtoms: 1 }, reduceOnly: false };
  const entries = (length: number): Command => ({
    type: 'PlaceOrders',
    account: 1 as never,
    entries: Array(length).fill({ ...entry, leverageHundredths: 0 } as unknown as BatchEntry),
    idempotencyKey: 'key',
  });
  for (const batch of [orders, entries]) {
    expect(readCommand(new ByteReader(bytesOf(batch(255))!))).toEqual(batch(255));
    expect(bytesOf(batch(256))).toBeUndefined();
    expect(bytesOf(batch(257))).toBeUndefined();
  }
});

test('rejects a command whose bytes were cut or have an invalid choice or flag', () => {
  fc.assert(
    fc.property(anyCommand, fc.nat(), (command, cut) => {
      const bytes = bytesOf(command);
      if (bytes === undefined) return;
      expect(() => readCommand(new ByteReader(bytes.subarray(0, cut % bytes.length)))).toThrow(MalformedRecord);
    }),
    { numRuns: RUNS },
  );
  const status = bytesOf({ type: 'SetMarketStatus', market: 1 as never, status: 'open' })!;
  status[status.length - 1] = 5;
  expect(() => readCommand(new ByteReader(status))).toThrow(MalformedRecord);
  const listing = bytesOf({ type: 'PlaceOrder', account: 1, ...entryOf(true), idempotencyKey: '' } as unknown as Command)!;
  // The reduce-only flag precedes the leverage of four bytes and the empty key of two bytes.
  expect(listing.at(-7)).toBe(1);
  listing[listing.length - 7] = 2;
  expect(() => readCommand(new ByteReader(listing))).toThrow(MalformedRecord);
});

function entryOf(reduceOnly: boolean) {
  return {
    market: 1,
    clientOrderId: 'a',
    side: 'buy',
    terms: { kind: 'market', quantityAtoms: 1 },
    reduceOnly,
    leverageHundredths: 300,
  };
}
