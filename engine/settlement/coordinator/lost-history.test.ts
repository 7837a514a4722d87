/** A store that was restored from an older copy is found, whatever it has lost: parties, consents, and each step of both flows. */
import { expect, test } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { commandIdOf, issueIdOf } from './command-id.ts';
import { Life } from './testing/life.ts';

type Contents = ReadonlyMap<string, Uint8Array>;

/** Both stores at one moment. */
interface Copy {
  /** Ids of ledger commands that the journal has submitted. */
  readonly submitted: ReadonlySet<string>;
  readonly journal: Contents;
  readonly ledger: Contents;
}

const restored = (time: ManualTime, journal: Contents, ledger: Contents) =>
  Life.open({
    time,
    journalFiles: new PowerCutFiles(undefined, journal),
    ledgerFiles: new PowerCutFiles(undefined, ledger),
  });

/** What the comparison of a restored venue finds. */
async function differenceOf(time: ManualTime, journal: Contents, ledger: Contents) {
  const life = await restored(time, journal, ledger);
  const { coordinator } = life;
  await life.until('a comparison', () => coordinator.status.isCompared || coordinator.status.difference !== null);
  const { difference } = coordinator.status;
  if (difference !== null) await life.until('transfers are off', () => !life.capability('transfers'));
  expect(life.capability('transfers')).toBe(difference === null);
  await life.close();
  return difference;
}

const STEPS: readonly (readonly [name: string, change: (life: Life, account: AccountOrdinal) => Promise<void>])[] = [
  ['an allocation', (life, account) => life.activateParty(account)],
  ['a consent', (life, account) => life.consent(account)],
  [
    'a revocation',
    async (life, account) => {
      const { partyId } = life.owners.owner(account)!.party;
      await life.submitElsewhere({ step: 'party_consent_revocation', commandId: 'revocation', partyId });
      await life.until('a revocation', () => life.owners.owner(account)!.consent.state === 'revoked');
    },
  ],
];

test.each(STEPS.map(([name], index) => [name, index] as const))(
  'halts transfers on a ledger that was restored from before %s',
  async (_, index) => {
    const time = new ManualTime();
    const life = await Life.open({ time });
    const account = await life.owner('alice');
    for (const [, change] of STEPS.slice(0, index)) await change(life, account);
    const before = life.files.ledgerFiles.contents();
    await STEPS[index]![1](life, account);
    await life.close();
    const { journalFiles, ledgerFiles } = life.files;
    expect(await differenceOf(time, journalFiles.contents(), ledgerFiles.contents())).toBeNull();
    const difference = await differenceOf(time, journalFiles.contents(), before);
    expect(difference).toMatchObject({ kind: 'older_ledger', text: expect.stringMatching(/the ledger ends before offset \d/) });
  },
);

/** The ledger commands that a record submits, by the events. */
function submittedBy(keys: Map<string, string>, { events }: CommittedRecord): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'PartyChanged':
        return event.status === 'allocating' ? [commandIdOf(event.ledgerKey, 'party_allocation', 1)] : [];
      case 'PartyConsentChanged':
        return [commandIdOf(event.ledgerKey, 'party_consent', 1)];
      case 'DepositBound':
        keys.set(`deposit ${event.deposit}`, event.ledgerKey);
        return [issueIdOf(event.ledgerKey)];
      case 'WithdrawalRequested':
        keys.set(`withdrawal ${event.withdrawal}`, event.ledgerKey);
        return [];
      case 'DepositStepSubmitted':
        return [commandIdOf(keys.get(`deposit ${event.deposit}`)!, event.step, event.attempt)];
      case 'WithdrawalStepSubmitted':
        return [commandIdOf(keys.get(`withdrawal ${event.withdrawal}`)!, event.step, event.attempt)];
      default:
        return [];
    }
  });
}

/** A copy after each record of a whole setup, deposit and withdrawal, and after each command that the ledger sequenced. */
async function copiesOfFlow(time: ManualTime): Promise<readonly Copy[]> {
  const copies: Copy[] = [];
  const submitted = new Set<string>();
  const keys = new Map<string, string>();
  const journalFiles = new PowerCutFiles();
  const ledgerFiles = new PowerCutFiles();
  const copy = () =>
    copies.push({ submitted: new Set(submitted), journal: journalFiles.contents(), ledger: ledgerFiles.contents() });
  const onRecords = (records: readonly CommittedRecord[]) => {
    for (const record of records) for (const id of submittedBy(keys, record)) submitted.add(id);
    copy();
  };
  const life = await Life.open({ time, journalFiles, ledgerFiles, onRecords });
  life.local.watch(copy);
  const account = await life.owner('alice');
  await life.activateParty(account);
  await life.consent(account);
  await life.deposit(account, 1_000);
  await life.withdraw(account, 400);
  await life.close();
  return copies;
}

test('finds every journal that is older than its ledger, at every step of a deposit and a withdrawal', async () => {
  const time = new ManualTime();
  const copies = await copiesOfFlow(time);
  const entriesOf = new Map<Copy, readonly string[]>();
  for (const copy of copies) {
    const life = await restored(time, copy.journal, copy.ledger);
    const entries = await life.local.entries({ afterOffset: 0, limit: 100 });
    entriesOf.set(
      copy,
      entries.map(({ command }) => command.commandId),
    );
    await life.close();
  }
  let found = 0;
  let equal = 0;
  for (const [index, older] of copies.entries())
    for (const newer of copies.slice(index)) {
      const lost = entriesOf.get(newer)!.filter((id) => !older.submitted.has(id));
      const difference = await differenceOf(time, older.journal, newer.ledger);
      const pair = `journal ${index}, ledger ${copies.indexOf(newer)}: ${lost.join(', ')}`;
      expect(difference?.kind, pair).toBe(lost.length === 0 ? undefined : 'lost_entries');
      if (lost.length === 0) equal += 1;
      else found += 1;
      if (lost.length > 0) expect(difference?.text, pair).toContain(lost[0]);
    }
  console.log(`${found} older journals were found, ${equal} journals explain their ledger`);
  expect(found).toBeGreaterThan(200);
});
