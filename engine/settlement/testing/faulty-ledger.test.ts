/** The port's suite behind each fault, and what each fault does. */
import { describe, expect, it } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { Ledger } from '#settlement/port/ledger.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { quoteAtoms } from '#units/money.ts';
import { FaultyLedger, type LedgerCall, type LedgerFault, type LedgerFaults } from './faulty-ledger.ts';
import { describeLedger } from './ledger-suite.ts';
import { freshLocal, openLocal } from './local-subject.ts';
import { PersistentCaller } from './persistent-caller.ts';

const FAULTS: readonly LedgerFault[] = [
  { kind: 'slow', ms: 900 },
  { kind: 'answer_late', ms: 700 },
  { kind: 'request_lost' },
  { kind: 'answer_lost' },
  { kind: 'request_late', ms: 400 },
  { kind: 'request_repeated' },
  { kind: 'answer_repeated' },
];

/** A repeated response to a read is old: only commands and look-ups can be repeated until it is new. */
const isPermitted = ({ kind }: LedgerFault, method: keyof Ledger) =>
  kind !== 'answer_repeated' || method === 'submit' || method === 'lookUp';

/** Every second call has the fault. */
const everySecond =
  (fault: LedgerFault): LedgerFaults =>
  ({ ordinal, method }: LedgerCall) =>
    ordinal % 2 === 1 && isPermitted(fault, method) ? fault : undefined;

async function behind(faults: LedgerFaults) {
  const { time, files, ledger: inner } = await freshLocal();
  return { time, files, inner, ledger: new FaultyLedger(inner, time, faults) };
}

for (const fault of FAULTS) describeLedger(`local ledger behind ${fault.kind}`, () => behind(everySecond(fault)));

describeLedger('local ledger behind all faults', () => {
  const random = seededRandom(18);
  return behind(({ method }) => {
    const fault = FAULTS[Math.floor(random() * 12)];
    return fault !== undefined && isPermitted(fault, method) ? fault : undefined;
  });
});

const issue = (commandId: string): LedgerCommand => ({ step: 'development_issue', commandId, amountAtoms: quoteAtoms(1) });
const only =
  (ordinal: number, fault: LedgerFault): LedgerFaults =>
  (call) =>
    call.ordinal === ordinal ? fault : undefined;
const unavailable = { name: 'LedgerUnavailable' };

describe('fault', () => {
  it('request_lost carries out nothing', async () => {
    const { ledger, inner } = await behind(only(1, { kind: 'request_lost' }));
    await expect(ledger.submit(issue('a'))).rejects.toMatchObject(unavailable);
    expect(await inner.lookUp('a')).toEqual({ status: 'unknown' });
  });

  it('answer_lost carries out the command', async () => {
    const { ledger, inner } = await behind(only(1, { kind: 'answer_lost' }));
    await expect(ledger.submit(issue('a'))).rejects.toMatchObject(unavailable);
    expect(await inner.lookUp('a')).not.toEqual({ status: 'unknown' });
  });

  it('request_late carries out the command after the caller gave up', async () => {
    const { ledger, inner, time } = await behind(only(1, { kind: 'request_late', ms: 100 }));
    await expect(ledger.submit(issue('a'))).rejects.toMatchObject(unavailable);
    await time.advance(99);
    expect(await inner.lookUp('a')).toEqual({ status: 'unknown' });
    await time.advance(1);
    await inner.close();
    await time.settle();
  });

  it('answer_late lets a later call be answered first', async () => {
    const { ledger, time } = await behind(only(1, { kind: 'answer_late', ms: 100 }));
    const answered: string[] = [];
    const first = ledger.submit(issue('a')).then(() => answered.push('a'));
    await ledger.submit(issue('b')).then(() => answered.push('b'));
    await time.advance(100);
    await first;
    expect(answered).toEqual(['b', 'a']);
  });

  it('answer_repeated returns the earlier response', async () => {
    const { ledger, time } = await behind(({ method }) => (method === 'lookUp' ? { kind: 'answer_repeated' } : undefined));
    expect(await ledger.lookUp('a')).toEqual({ status: 'unknown' });
    await ledger.submit(issue('a'));
    await time.settle();
    expect(await ledger.lookUp('a')).toEqual({ status: 'unknown' });
  });

  it('notifies of receipts never, twice, or late and out of order', async () => {
    const faults: (LedgerFault | undefined)[] = [
      { kind: 'request_lost' },
      { kind: 'answer_repeated' },
      { kind: 'answer_late', ms: 100 },
      undefined,
    ];
    const { ledger, inner, time } = await behind(({ method }) => (method === 'watch' ? faults.shift() : undefined));
    const notified: string[] = [];
    ledger.watch(({ commandId }) => notified.push(commandId));
    await Promise.all(['lost', 'twice', 'late', 'usual'].map((id) => ledger.submit(issue(id))));
    await inner.close();
    await time.advance(100);
    expect(notified).toEqual(['twice', 'twice', 'usual', 'late']);
  });
});

it('is down for a time, and continues', async () => {
  const { ledger, time } = await behind(() => undefined);
  ledger.isDown = true;
  await expect(ledger.submit(issue('a'))).rejects.toMatchObject(unavailable);
  await expect(ledger.head()).rejects.toMatchObject(unavailable);
  ledger.isDown = false;
  await new PersistentCaller(ledger, time).accepted(issue('a'));
});

it('shows a restore from an older copy, and gets the same ids for the commands that are submitted again', async () => {
  const { ledger, files, time } = await behind(() => undefined);
  const caller = new PersistentCaller(ledger, time);
  const allocate = (name: string): LedgerCommand => ({
    step: 'party_allocation',
    commandId: `allocate-${name}`,
    partyHint: name,
  });
  await caller.created(allocate('alice'));
  const copy = files.contents();
  const bob = await caller.accepted(allocate('bob'));
  const carol = await caller.accepted(allocate('carol'));

  await time.advance(1_000);
  ledger.replace(await openLocal(new PowerCutFiles(undefined, copy), time));
  expect(await ledger.head()).toMatchObject({ offset: 1 });
  const found = await Promise.all(['alice', 'bob', 'carol'].map((name) => ledger.lookUp(`allocate-${name}`)));
  expect(found.map(({ status }) => status)).toEqual(['sequenced', 'unknown', 'unknown']);

  const carolAgain = await caller.accepted(allocate('carol'));
  const bobAgain = await caller.accepted(allocate('bob'));
  expect([bobAgain.createdId, carolAgain.createdId]).toEqual([bob.createdId, carol.createdId]);
  // The offset is the same, the event is not: another command was sequenced there.
  expect(carolAgain.offset).toBe(bob.offset);
  expect(carolAgain.ledgerEventId).not.toBe(bob.ledgerEventId);
  expect(bobAgain.ledgerEventId).not.toBe(carol.ledgerEventId);
});
