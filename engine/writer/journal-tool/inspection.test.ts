/** Finds records by sequence and by account, and explains every move of an account's cash. */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { deployment } from '#venue/agent/testing/agents.ts';
import { cashMovesOf, recordsBetween, recordsOfAccount } from './inspection.ts';
import { OfflineJournal } from './offline-journal.ts';

const [alice, bob] = [1, 2] as AccountOrdinal[] as [AccountOrdinal, AccountOrdinal];

async function journal() {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files);
  await Promise.all([writer.submit(open('alice')), writer.submit(open('bob'))]);
  for (let number = 1; number <= 20; number += 1)
    await writer.submit(credit(1 + (number % 2), number, `key ${number}`, `bill ${number}`));
  const records = writer.groups.flatMap((group) => group.records);
  return { offline: await OfflineJournal.open(files), records, files };
}

describe('records', () => {
  it('are found around a sequence, with their positions', async () => {
    const { offline, records, files } = await journal();
    for (const [first, last] of [
      [1, 1],
      [5, 9],
      [22, 30],
      [-3, 2],
    ] as const) {
      const found = await recordsBetween(offline, first, last);
      expect(found).toMatchObject(records.filter(({ sequence }) => sequence >= first && sequence <= last) as object[]);
      for (const { segment, offset, sequence } of found) {
        const bytes = files.contents().get(segment)!;
        expect(new DataView(bytes.buffer).getFloat64(offset + 8, true)).toBe(sequence);
      }
    }
    expect(await recordsBetween(offline, 23, 40)).toEqual([]);
    expect((await recordsBetween(offline, 1, 3)).map(({ isKeyed }) => isKeyed)).toEqual([false, false, true]);
  });

  it('of an account are the newest that concern it', async () => {
    const { offline } = await journal();
    const all = await recordsOfAccount(offline, bob, 100);
    expect(all.map(({ sequence }) => sequence)).toEqual([2, ...Array.from({ length: 10 }, (_, index) => 3 + index * 2)]);
    expect(await recordsOfAccount(offline, bob, 4)).toEqual(all.slice(-4));
  });

  it('of an agent account include those that name it as such', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    await writer.submit({ command: deployment({ account: alice, agentAccount: bob }) });
    const found = await recordsOfAccount(await OfflineJournal.open(files), bob, 10);
    expect(found).toMatchObject([{ sequence: 1, command: { type: 'CreateAgentDeployment' } }]);
  });
});

describe('cash of an account', () => {
  it('is explained posting by posting, up to its current value', async () => {
    const { offline } = await journal();
    const moves = await cashMovesOf(offline, alice, 1_000);
    expect(moves).toHaveLength(20);
    expect(moves.reduce((sum, { amountAtoms }) => sum + amountAtoms, 0)).toBe(moves.at(-1)!.cashAtoms);
    expect(moves.at(-1)).toMatchObject({ sequence: 22, kind: 'deposit', command: 'CreditCash', by: alice, reference: 'bill 20' });
    expect(moves.some(({ isUnexplained }) => isUnexplained)).toBe(false);
    expect(await cashMovesOf(offline, alice, 3)).toEqual(moves.slice(-3));
  });

  it('is marked where the previous balance plus a posting does not equal the balance', async () => {
    const files = new PowerCutFiles();
    const fresh = () => {
      const honest = toyRules.fresh();
      return {
        snapshot: () => honest.snapshot(),
        turn: (...[sequenced, events]: Parameters<typeof honest.turn>) => {
          honest.turn(sequenced, events);
          if (sequenced.sequence === 3) {
            events.cashPosted({ account: alice, kind: 'deposit', amountAtoms: 1 as QuoteAtoms, cashAtoms: 999 as QuoteAtoms });
          }
        },
      };
    };
    const writer = await openToyWriter(files, { rules: { ...toyRules, fresh } });
    await writer.submit(open('alice'));
    for (const amount of [4, 6, 8]) await writer.submit(credit(1, amount));
    const moves = await cashMovesOf(await OfflineJournal.open(files), alice, 10);
    expect(moves.filter(({ isUnexplained }) => isUnexplained).map(({ sequence, cashAtoms }) => [sequence, cashAtoms])).toEqual([
      [3, 999],
      [4, 14],
    ]);
  });
});
