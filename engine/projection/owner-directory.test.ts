/**
 * The directory of owners that follows the journal equals one that is built from the core's state, after any history of a world and
 * however it is grouped.
 */
import { describe, expect, test } from 'vitest';
import { recordWorld } from '#simulation/auditor/planted/recorded-runs.ts';
import { History } from '#simulation/history.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import { OWNER_EVENTS, SETTLEMENT_EVENTS, type VenueEvent } from '#venue/event.ts';
import { owned, ownerOf, passkey, registration, setupCommand } from '#venue/owner/testing/owners.ts';
import { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { OWNER_COMMANDS } from './command-effects.ts';
import { VenueOwnerDirectory } from './owner-directory.ts';

const MIN_WORLDS = 20;
const MAX_WORLDS = 200;
const account = 1 as AccountOrdinal;

/** All that the directory can say about the accounts, identities and credentials of a venue. */
function seen(directory: VenueOwnerDirectory, { owners, accounts, settlement }: VenueState) {
  return {
    sequence: directory.sequence(),
    owners: accounts.map((it) => it && directory.owner(it.ordinal)),
    identities: [...owners.byIdentity.keys()].map((identity) => directory.accountOfIdentity(identity)),
    credentials: [...owners.byCredential.keys()].map((id) => [directory.passkey(id), directory.isCredentialUsed(id)]),
    pending: [...directory.pendingParties()].sort(),
    intents: accounts.map((it) => it && directory.fundingIntents(it.ordinal)),
    deposits: [...settlement.deposits.keys()].map((deposit) => directory.deposit(deposit)),
    openDeposits: directory.openDeposits(),
    withdrawals: directory.openWithdrawals().map((it) => [it, directory.withdrawal(it.withdrawal)]),
    unofferedAtoms: directory.unofferedWithdrawalsAtoms(),
    ledger: directory.ledger(),
  };
}

/** Only the records that a directory reads. */
function ofOwners(records: readonly CommittedRecord[]): readonly CommittedRecord[] {
  return records.filter(({ command }) => OWNER_COMMANDS.has(command.type));
}

test('equals the state of the core after any history', { timeout: 600_000 }, async () => {
  const missing = new Set<string>([
    ...OWNER_COMMANDS,
    ...Object.keys(OWNER_EVENTS),
    ...Object.keys(SETTLEMENT_EVENTS),
    'AccountRetired',
  ]);
  for (let seed = 1; seed <= MIN_WORLDS || (missing.size > 0 && seed <= MAX_WORLDS); seed += 1) {
    const records = await recordWorld(seed);
    const venue = new Venue();
    const whole = new VenueOwnerDirectory(new VenueState(), 0 as Sequence);
    const cut = Math.floor(records.length / 2);
    let goingOn: VenueOwnerDirectory | undefined;
    for (const record of records) {
      if (record.sequence === cut + 1) goingOn = new VenueOwnerDirectory(venue.state, cut as Sequence);
      eventsOfTurn(venue, record);
      for (const { type } of [record.command, ...record.events]) missing.delete(type);
    }
    const last = records.length as Sequence;
    whole.follow(cut as Sequence, ofOwners(records.slice(0, cut)));
    for (const directory of [whole, goingOn!]) directory.follow(last, ofOwners(records));
    const expected = seen(new VenueOwnerDirectory(venue.state, last), venue.state);
    expect(seen(whole, venue.state), `world ${seed}`).toEqual(expected);
    expect(seen(goingOn!, venue.state), `world ${seed}`).toEqual(expected);
  }
  expect([...missing]).toEqual([]);
});

describe('the directory', () => {
  /** A history, and a directory that follows each of its records. */
  function followed() {
    const history = new History();
    const directory = new VenueOwnerDirectory(history.venue.state, 0 as Sequence);
    const run = (...[command]: Parameters<History['run']>): VenueEvent[] => {
      const events = history.run(command);
      directory.follow(history.sequence, ofOwners(history.records.slice(-1)));
      return events;
    };
    return { history, directory, run };
  }

  test('finds an owner by identity and passkey, and forgets only removed passkeys', () => {
    const { history, directory, run } = followed();
    const command = registration(1, { referralCode: 'friend' });
    run(command);
    const stored = { ...command.passkey, createdAtEpochMs: history.now };
    expect(directory.accountOfIdentity(command.identityDigest)).toBe(account);
    expect(directory.accountOfIdentity('b'.repeat(64))).toBeUndefined();
    expect(directory.passkey('passkey-1')).toEqual({ account, passkey: stored });
    expect(directory.owner(account)).toEqual({
      account,
      provider: 'local',
      identityDigest: command.identityDigest,
      referralCode: 'friend',
      passkeys: [stored],
      party: { status: 'absent', partyId: '', ledgerKey: '' },
      walletId: '',
      consent: { state: 'absent', consentId: '', ledgerKey: '', reason: '' },
      setup: 'not_started',
      isRetired: false,
      isLegacy: false,
    });
    run({ type: 'AddPasskey', account, passkey: passkey('second') });
    run({ type: 'RecordPasskeyUse', account, credentialId: 'second', signatureCount: 5 });
    run({ type: 'RemovePasskey', account, credentialId: 'passkey-1', relyingPartyId: 'localhost' });
    expect(directory.owner(account)!.passkeys).toMatchObject([{ credentialId: 'second', signatureCount: 5 }]);
    expect([directory.passkey('passkey-1'), directory.isCredentialUsed('passkey-1')]).toEqual([undefined, true]);
    expect([directory.passkey('other'), directory.isCredentialUsed('other')]).toEqual([undefined, false]);
  });

  test('has no owner for an account of the operator', () => {
    const { directory, run } = followed();
    run({ type: 'OpenAccount', label: 'bot', partyId: 'party', digestSeed: 7 });
    expect(directory.owner(account)).toBeUndefined();
    expect(directory.owner(2 as AccountOrdinal)).toBeUndefined();
  });

  test('lists the accounts that wait for the ledger', () => {
    const { directory, run } = followed();
    const pending: (readonly AccountOrdinal[])[] = [];
    run(registration(1));
    for (const step of ['start', 'allocate', 'activate', 'submit'] as const) {
      run(setupCommand(step, account));
      pending.push(directory.pendingParties());
    }
    run({ type: 'RecordPartyConsent', account, consent: 'absent', consentId: '', reason: 'package_absent' });
    pending.push(directory.pendingParties());
    run({ type: 'RetireAccount', account });
    pending.push(directory.pendingParties());
    expect(pending).toEqual([[account], [], [], [account], [account], []]);
    expect(directory.owner(account)).toMatchObject({ setup: 'waiting_for_package', isRetired: true, isLegacy: false });
  });

  test('keeps what it had while the state of the core runs ahead', () => {
    const history = new History();
    const owner = owned(history, 1);
    const directory = new VenueOwnerDirectory(history.venue.state, history.sequence);
    history.run(setupCommand('start', owner));
    history.run({ type: 'AddPasskey', account: owner, passkey: passkey('second') });
    expect(ownerOf(history, owner).passkeys.size).toBe(2);
    expect(directory.owner(owner)).toMatchObject({ party: { status: 'absent' }, passkeys: [{ credentialId: 'passkey-1' }] });
    expect(directory.isCredentialUsed('second')).toBe(false);
  });
});
