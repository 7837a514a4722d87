/** The port's suite on the local ledger, and what is particular to it: order, bounds, durability, real files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import { describeLedger } from '#settlement/testing/ledger-suite.ts';
import { freshLocal, openLocal } from '#settlement/testing/local-subject.ts';
import { PersistentCaller } from '#settlement/testing/persistent-caller.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { LocalLedger, MAX_PENDING_COMMANDS } from './local-ledger.ts';

const issue = (commandId: string, atoms = 1): LedgerCommand => ({
  step: 'development_issue',
  commandId,
  amountAtoms: quoteAtoms(atoms),
});

describeLedger('local ledger', freshLocal);

describe('submission', () => {
  it('answers pending when the command is durable, and the receipt later', async () => {
    const time = new ManualTime();
    const sync = Promise.withResolvers<void>();
    let isOpen = false;
    const files = new PowerCutFiles(undefined, undefined, (kind) => (isOpen && kind === 'datasync' ? sync.promise : undefined));
    const ledger = await openLocal(files, time);
    isOpen = true;
    const answers: unknown[] = [];
    const response = ledger.submit(issue('a')).then((known) => answers.push(known));
    await time.settle();
    expect(files.unsyncedWrites).toBe(1);
    expect(answers).toEqual([]);
    expect(await ledger.lookUp('a')).toEqual({ status: 'unknown' });
    isOpen = false;
    sync.resolve();
    await response;
    expect(answers).toEqual([{ status: 'pending' }]);
    await time.settle();
    expect(await ledger.lookUp('a')).toMatchObject({ status: 'sequenced', receipt: { offset: 1 } });
  });

  it('sequences in the order of submission and notifies once for each receipt', async () => {
    const { ledger } = await freshLocal();
    const receipts: Receipt[] = [];
    ledger.watch((receipt) => receipts.push(receipt));
    const endWatch = ledger.watch(() => expect.unreachable());
    endWatch();
    const ids = Array.from({ length: 200 }, (_, index) => `c${index}`);
    await Promise.all([...ids, ...ids].map((id) => ledger.submit(issue(id))));
    await ledger.close();
    expect(receipts.map(({ commandId }) => commandId)).toEqual(ids);
    expect(receipts.map(({ offset }) => offset)).toEqual(ids.map((_, index) => index + 1));
  });

  it('refuses more pending commands than the bound, and changes nothing', async () => {
    const { ledger } = await freshLocal();
    const ids = Array.from({ length: MAX_PENDING_COMMANDS }, (_, index) => `c${index}`);
    const responses = ids.map((id) => ledger.submit(issue(id)));
    await expect(ledger.submit(issue('more'))).rejects.toMatchObject({ name: 'LedgerBusy' });
    await Promise.all(responses);
    expect(await ledger.lookUp('more')).toEqual({ status: 'unknown' });
    await ledger.close();
  });

  it('refuses new commands when the log is full, and still returns receipts', async () => {
    const time = new ManualTime();
    const files = new PowerCutFiles();
    const caller = new PersistentCaller(await openLocal(files, time, { maxLogBytes: 4_096 }), time);
    const receipts: Receipt[] = [];
    const fill = async () => {
      for (let number = 0; ; number += 1) receipts.push(await caller.carryOut(issue(`c${number}`)));
    };
    await expect(fill()).rejects.toMatchObject({ name: 'LedgerBusy', message: expect.stringContaining('4096 bytes') });
    expect(receipts.length).toBeGreaterThan(2);
    expect(await caller.carryOut(issue('c0'))).toEqual(receipts[0]);
  });

  it('issues money only where it is allowed', async () => {
    const ledger = await LocalLedger.open({ files: new PowerCutFiles(), clock: new ManualTime(), allowsIssue: false });
    await expect(ledger.submit(issue('a'))).rejects.toMatchObject({ name: 'CommandRefused' });
    expect(await ledger.head()).toMatchObject({ offset: 0 });
    expect((await ledger.head()).ledgerId).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('time', () => {
  it('does not follow a clock that is set back', async () => {
    const { ledger, time } = await freshLocal();
    const caller = new PersistentCaller(ledger, time);
    const first = await caller.accepted(issue('a'));
    time.setClockBy(-1_000_000);
    const second = await caller.accepted(issue('b'));
    expect(second.sequencedAtEpochMs).toBe(first.sequencedAtEpochMs);
  });
});

it('rejects an acceptance at the very millisecond of the expiry', async () => {
  const { ledger, files, time } = await freshLocal();
  const caller = new PersistentCaller(ledger, time);
  const partyId = await caller.created({ step: 'party_allocation', commandId: 'allocate', partyHint: 'alice' });
  await caller.accepted(issue('issue'));
  const expiresAtEpochMs = epochMs(time.now() + 1_000);
  const offer = { step: 'treasury_offer', commandId: 'offer', partyId, amountAtoms: quoteAtoms(1), expiresAtEpochMs } as const;
  const offerId = await caller.created(offer);
  time.pass(expiresAtEpochMs - time.now());
  await ledger.submit({ step: 'owner_offer_acceptance', commandId: 'accept', partyId, offerId });
  await ledger.close();
  const receipt = await (await openLocal(files, time)).lookUp('accept');
  expect(receipt).toMatchObject({ receipt: { sequencedAtEpochMs: expiresAtEpochMs, reason: 'offer_expired' } });
});

describe('end', () => {
  it('sequences what was submitted before it closes, and refuses calls after it', async () => {
    const { ledger, files, time } = await freshLocal();
    const responses = ['a', 'b', 'c'].map((id) => ledger.submit(issue(id)));
    await ledger.close();
    await ledger.close();
    await Promise.all(responses);
    await expect(ledger.submit(issue('d'))).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    await expect(ledger.head()).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    expect(await (await openLocal(files, time)).head()).toMatchObject({ offset: 3 });
  });

  it.each(['EIO', 'ENOSPC'] as const)('answers nothing after a write failed with %s', async (fault) => {
    let isFailing = false;
    const files = new PowerCutFiles(() => (isFailing ? fault : undefined));
    const time = new ManualTime();
    const ledger = await openLocal(files, time);
    isFailing = true;
    await expect(ledger.submit(issue('a'))).rejects.toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringContaining(fault),
    });
    await expect(ledger.lookUp('a')).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    await ledger.close();
  });
});

it('continues on a real disk, in the directory that the venue has locked', async () => {
  const path = mkdtempSync(join(tmpdir(), 'openperp-ledger-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const directory = lockDirectory(path);
  const time = new ManualTime();
  const open = async () => LocalLedger.open({ files: await nodeFiles(directory, 'ledger'), clock: time, allowsIssue: true });
  const first = await open();
  await Promise.all(['a', 'b', 'c'].map((id) => first.submit(issue(id))));
  await first.close();
  const again = await open();
  expect(await again.head()).toMatchObject({ offset: 3 });
  expect(await again.supply()).toEqual({ issuedAtoms: 3, heldAtoms: 3, offeredAtoms: 0 });
  await again.close();
  directory.release();
});
