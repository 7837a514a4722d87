/** An account's margin before the available records is read only from a saved state of this journal. */
import { beforeAll, describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import { openToyWriter, type ToyWriter } from '#simulation/toy-writer.ts';
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { listSnapshots, readSnapshot, type Snapshot, saveSnapshot } from '#writer/snapshot/snapshot-store.ts';
import { archivedIn, without } from '#writer/testing/archived-journal.ts';
import { marginMovesOf } from './balance-moves.ts';
import { committedRecordsOf, OfflineJournal } from './offline-journal.ts';
import { savedMargins } from './saved-margins.ts';

type Contents = Map<string, Uint8Array>;

const [MAKER, TAKER, MARKET] = [1 as AccountOrdinal, 2 as AccountOrdinal, 1 as MarketOrdinal];
const OF_TAKER = 2 as PositionOrdinal;

function limit(account: AccountOrdinal, side: 'buy' | 'sell', quantity: number, clientOrderId: string): Command {
  const quantityAtoms = quantity as BaseAtoms;
  const terms = { kind: 'limit', quantityAtoms, priceAtoms: 10_000 as PriceAtoms, postOnly: false } as const;
  const owner = { account, market: MARKET, clientOrderId, side, leverageHundredths: 0, idempotencyKey: '' } as const;
  return { type: 'PlaceOrder', ...owner, terms, reduceOnly: false };
}

function trade(quantity: number, takerSide: 'buy' | 'sell', name: string): readonly Command[] {
  const makerSide = takerSide === 'buy' ? 'sell' : 'buy';
  return [limit(MAKER, makerSide, quantity, `${name} made`), limit(TAKER, takerSide, quantity, `${name} taken`)];
}

const price = (writer: ToyWriter): Command => {
  const observedAtEpochMs = writer.clock.epochMs as EpochMs;
  return { type: 'PublishIndexPrice', market: MARKET, priceAtoms: 10_000 as PriceAtoms, observedAtEpochMs };
};

const credit = (account: AccountOrdinal): Command => {
  return { type: 'CreditCash', account, amountAtoms: 1_000_000_000 as QuoteAtoms, reference: 'test' };
};

/** A position is opened; after `credits` credits, most of which are archived, half of it is closed. */
async function venueJournal(credits = 80, archiveAfterMs = 2_000): Promise<Contents> {
  const files = new PowerCutFiles();
  const limits = { recordsPerSnapshot: 10, msPerSnapshot: 0, retentionMs: archiveAfterMs };
  const writer = await openToyWriter(files, { rules: venueRules, limits, archiveAfterMs });
  const submit = async (...commands: readonly Command[]) => {
    for (const command of commands) {
      writer.pass(100);
      const { events } = await writer.submit({ command });
      expect(events.map(({ type }) => type)).not.toContain('CommandRefused');
    }
  };
  await submit({ type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open' });
  for (const label of ['maker', 'taker']) await submit({ type: 'OpenAccount', label, partyId: label, digestSeed: 7 });
  await submit(credit(MAKER), credit(TAKER), price(writer), ...trade(10, 'buy', 'open'));
  for (let number = 0; number < credits; number += 1) await submit(credit(MAKER));
  await submit(price(writer), ...trade(5, 'sell', 'half'));
  await writer.close();
  return files.contents();
}

async function movesIn(files: PowerCutFiles) {
  const journal = await OfflineJournal.open(files);
  const saved = await savedMargins(journal, venueRules, TAKER);
  return { saved, moves: await marginMovesOf(committedRecordsOf(journal), TAKER, 100, saved) };
}

let contents: Contents;
let files: PowerCutFiles;
beforeAll(async () => {
  contents = await venueJournal();
  expect(archivedIn(contents).length).toBeGreaterThan(3);
  files = without(contents, ...archivedIn(contents));
});

describe('margin of a position that was opened in missing records', () => {
  it('is read from a later snapshot', async () => {
    const { moves: whole, saved: savedOfWhole } = await movesIn(without(contents));
    expect(savedOfWhole.size).toBe(0);
    const { moves, saved } = await movesIn(files);
    expect(whole).toHaveLength(2);
    expect(moves).toEqual(whole.slice(1));
    expect(moves[0]!.amountAtoms).toBe(-whole[0]!.amountAtoms! / 2);
    expect([...saved.values()].map((margins) => margins.get(OF_TAKER))).toContain(whole[0]!.balanceAtoms);
  });

  it('is also read from a snapshot taken exactly where the available records start', async () => {
    let takenThere = 0;
    for (let credits = 50; credits < 130; credits += 5) {
      const journal = await venueJournal(credits, 0);
      const rest = without(journal, ...archivedIn(journal));
      for await (const { from } of (await OfflineJournal.open(rest)).runs()) {
        const known = (await movesIn(rest)).saved;
        expect(known.size).toBe(2);
        if (known.has(from.sequence)) takenThere += 1;
        break;
      }
    }
    expect(takenThere).toBeGreaterThan(0);
  });

  it.each<[string, (snapshot: Snapshot) => Snapshot]>([
    ['of another journal', (snapshot) => ({ ...snapshot, chainDigest: new Uint8Array(32) })],
    ['of other rules', (snapshot) => ({ ...snapshot, rulesVersion: venueRules.rulesVersion + 1 })],
  ])('is not read from a state %s', async (_, change) => {
    const changed = new PowerCutFiles(undefined, files.contents());
    for (const file of await listSnapshots(files)) await saveSnapshot(changed, change((await readSnapshot(files, file))!));
    const { moves, saved } = await movesIn(changed);
    expect(saved.size).toBe(0);
    expect(moves.map(({ amountAtoms }) => amountAtoms)).toEqual([undefined]);
  });

  it('is not read from a damaged state', async () => {
    const damaged = new Map([...files.contents()].map(([name, bytes]) => [name, bytes.slice()]));
    for (const { name } of await listSnapshots(files)) damaged.get(name)![60]! ^= 1;
    const { moves } = await movesIn(new PowerCutFiles(undefined, damaged));
    expect(moves.map(({ amountAtoms, isUnexplained }) => [amountAtoms, isUnexplained])).toEqual([[undefined, false]]);
  });
});
