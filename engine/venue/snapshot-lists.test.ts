/** Every list of a snapshot holds more than 65,535 items, or the rules of commands bound it. No count is ever cut off. */
import { describe, expect, test } from 'vitest';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AccountOrdinal, FundingIntentOrdinal, MarketOrdinal, Sequence } from '#units/ids.ts';
import { type BaseAtoms, type EpochMs, quoteAtoms } from '#units/money.ts';
import { Account, accountLayout } from './account/account.ts';
import type { Command } from './command.ts';
import { registration, setupCommand } from './owner/testing/owners.ts';
import { ByteReader, ByteWriter, MAX_LIST, MalformedRecord } from './record/cursor.ts';
import { longList } from './record/long-list.ts';
import { readState, writeState } from './snapshot.ts';
import type { VenueState } from './state.ts';
import { Venue } from './venue.ts';

const COUNT = 70_000;
const LONG_LISTS = 9;
const NOW = 1_000 as EpochMs;
const account = 1 as AccountOrdinal;
const amountAtoms = quoteAtoms(1);

/** Runs each command and requires it to be accepted. */
function run(venue: Venue, ...commands: readonly Command[]): void {
  for (const command of commands) {
    const [first] = eventsOfTurn(venue, { sequence: 1 as Sequence, epochMs: NOW, command });
    if (first?.type === 'CommandRefused') throw new Error(`${command.type} was refused: ${first.code}`);
  }
}

function open(ordinal: number): Command {
  return { type: 'OpenAccount', label: `${ordinal}`, partyId: `party-${ordinal}`, digestSeed: ordinal };
}

function credit(ordinal: number): Command {
  return { type: 'CreditCash', account, amountAtoms, reference: '', moneyId: `id-${ordinal}` };
}

function expiringKey(ordinal: number): Command {
  const key = { keyId: `key-${ordinal}`, digest: '', scopes: ['read'], label: '' } as const;
  return { type: 'IssueApiKey', account: ordinal as AccountOrdinal, ...key, expiresAtEpochMs: 2_000 as EpochMs };
}

const one = (ordinal: number) => ordinal as AccountOrdinal;

/** What adds the item of this number, and how many there are then. */
const LISTS: Readonly<
  Record<string, readonly [add: (venue: Venue, ordinal: number) => void, count: (state: VenueState) => number]>
> = {
  'expiring keys': [
    (venue, ordinal) => run(venue, open(ordinal), expiringKey(ordinal)),
    ({ apiKeyExpiries }) => apiKeyExpiries.size,
  ],
  'legacy accounts': [
    (venue, ordinal) => run(venue, open(ordinal), { type: 'RetireAccount', account: one(ordinal), isLegacy: true }),
    ({ accounts }) => accounts.filter((it) => it?.isLegacy).length,
  ],
  'withdrawals of the operator': [
    (venue, ordinal) => {
      if (ordinal === 1) run(venue, open(1));
      run(
        venue,
        { type: 'CreditCash', account, amountAtoms, reference: '' },
        { type: 'ReserveWithdrawal', account, amountAtoms, destination: 'bank' },
      );
    },
    ({ withdrawals }) => withdrawals.size,
  ],
  'owners with passkeys and parties': [
    (venue, ordinal) => {
      run(venue, registration(ordinal), ...(['start', 'allocate'] as const).map((step) => setupCommand(step, one(ordinal))));
    },
    ({ owners, partyIds }) => Math.min(owners.byAccount.size, owners.byCredential.size, partyIds.size),
  ],
  'funding intents, deposits and withdrawals of owners': [
    (venue, ordinal) => {
      const owner = one(ordinal);
      run(
        venue,
        open(ordinal),
        { type: 'GrantFaucet', account: owner, amountAtoms },
        { type: 'BindDeposit', account: owner, intent: ordinal as FundingIntentOrdinal, ledgerKey: `deposit-${ordinal}` },
        { type: 'CreditCash', account: owner, amountAtoms, reference: '' },
        {
          type: 'RequestWithdrawal',
          account: owner,
          amountAtoms,
          destination: `party-${ordinal}`,
          ledgerKey: `withdrawal-${ordinal}`,
          idempotencyKey: `${ordinal}`,
        },
      );
    },
    ({ settlement: { intents, deposits, withdrawals } }) => Math.min(intents.size, deposits.size, withdrawals.size),
  ],
  'agent accounts': [
    (venue, ordinal) => {
      // Each owner has 20 of them.
      const owner = one(ordinal - ((ordinal - 1) % 20) + Math.floor((ordinal - 1) / 20));
      if (ordinal % 20 === 1)
        run(
          venue,
          registration(ordinal),
          ...(['start', 'allocate', 'activate'] as const).map((step) => setupCommand(step, owner)),
        );
      run(venue, { type: 'OpenAgentAccount', account: owner, label: '', digestSeed: 0 });
    },
    ({ agentAccounts }) => [...agentAccounts.all()].length,
  ],
  'ended fundings of agent accounts': [
    (venue, ordinal) => {
      const steps = (['start', 'allocate', 'activate'] as const).map((step) => setupCommand(step, account));
      const opening = { type: 'OpenAgentAccount', account, label: '', digestSeed: 0 } as const;
      if (ordinal === 1) run(venue, registration(1), ...steps, opening);
      venue.state.agentFundings.addEnded(`transfer-${ordinal}`);
    },
    ({ agentFundings }) => [...agentFundings.ended()].length,
  ],
  'money ids': [
    (venue, ordinal) => run(venue, ...(ordinal === 1 ? [open(1)] : []), credit(ordinal)),
    ({ settlement }) => settlement.moneyIds.size,
  ],
};

function crowded(add: (venue: Venue, ordinal: number) => void, count = COUNT): Venue {
  const venue = new Venue();
  for (let ordinal = 1; ordinal <= count; ordinal += 1) add(venue, ordinal);
  return venue;
}

function versionOf(bytes: Uint8Array): number {
  return new ByteReader(bytes).u32();
}

describe.each(Object.entries(LISTS))('a snapshot with 70,000 %s', (_, [add, count]) => {
  test('is restored to the same digests and bytes', () => {
    const venue = crowded(add);
    expect(count(venue.state)).toBe(COUNT);
    const bytes = venue.snapshot();
    const restored = Venue.restore(bytes);
    expect(count(restored.state)).toBe(COUNT);
    expect(restored.audit()).toEqual(venue.audit());
    expect(Buffer.compare(restored.snapshot(), bytes)).toBe(0);
  });
});

describe('the layout with long lists', () => {
  test('is used from the first item on that 16-bit counts cannot hold', () => {
    const [add] = LISTS['expiring keys']!;
    const venue = crowded(add, MAX_LIST);
    const short = venue.snapshot();
    expect(versionOf(short)).toBeLessThan(LONG_LISTS);
    expect(readState(short).apiKeyExpiries.size).toBe(MAX_LIST);
    add(venue, MAX_LIST + 1);
    expect(versionOf(venue.snapshot())).toBe(LONG_LISTS);
    run(venue, { type: 'RevokeApiKey', account, keyId: 'key-1' });
    expect(versionOf(venue.snapshot())).toBe(versionOf(short));
  });

  test('holds the positions of one account in 70,000 markets', () => {
    const crowdedAccount = new Account(account, 'label', 'party', 1);
    for (let market = 1; market <= COUNT; market += 1)
      crowdedAccount.positionIn(market as MarketOrdinal).signedBaseAtoms = market as BaseAtoms;
    const bytes = new ByteWriter();
    accountLayout(bytes, crowdedAccount, longList);
    const restored = accountLayout(new ByteReader(bytes.copy()), new Account(account, '', '', 0), longList);
    expect(restored.positions.map((it) => it?.signedBaseAtoms)).toEqual(
      crowdedAccount.positions.map((it) => it?.signedBaseAtoms),
    );
  });
});

describe('a count that does not fit', () => {
  test('is an error where a list has a bound', () => {
    const [add] = LISTS['owners with passkeys and parties']!;
    const venue = crowded(add, 1);
    const owner = venue.state.owners.of(account)!;
    for (let removed = 0; removed <= MAX_LIST; removed += 1) owner.removedCredentials.add(`removed-${removed}`);
    expect(() => writeState(venue.state)).toThrow(MalformedRecord);
  });

  test.each([
    ['u8', 256, (bytes: ByteWriter, items: readonly number[]) => bytes.shortList(items, (io, item) => io.u8(item))],
    ['u16', MAX_LIST + 1, (bytes: ByteWriter, items: readonly number[]) => bytes.list(items, (io, item) => io.u8(item))],
    ['u32', 2 ** 32, (bytes: ByteWriter, items: readonly number[]) => longList(bytes, items, (io, item) => io.u8(item))],
  ])('is an error in a list with a count of %s', (_, length, write) => {
    const items = length === 2 ** 32 ? ({ length } as readonly number[]) : new Array<number>(length).fill(0);
    expect(() => write(new ByteWriter(), items)).toThrow(MalformedRecord);
    if (length < 2 ** 32) expect(() => write(new ByteWriter(), items.slice(1))).not.toThrow();
  });
});
