/** A journal is upgraded to newer rules once, for good, and despite power cuts; records of older rules are never rerun. */
import { describe, expect, it } from 'vitest';
import { type Fault, PowerCutFiles, TEARS } from '#simulation/power-cut-files.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter, SMALL_LIMITS } from '#simulation/toy-writer.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import { OfflineJournal } from './offline-journal.ts';
import { replayJournal } from './offline-replay.ts';
import { upgradeJournal } from './rules-upgrade.ts';
import { verifyJournal } from './verification.ts';

/** The same ledger, but every credit counts twice. */
const newerRules: StateMachineRules = {
  rulesVersion: 2,
  oldestRulesVersion: 1,
  fresh: () => doubling(toyRules.fresh()),
  restore: (snapshot) => doubling(toyRules.restore(snapshot)),
};

function doubling(ledger: StateMachine): StateMachine {
  return {
    snapshot: () => ledger.snapshot(),
    turn: ({ command, ...place }, events) => {
      const twice =
        command.type === 'CreditCash' ? { ...command, amountAtoms: (command.amountAtoms * 2) as QuoteAtoms } : command;
      ledger.turn({ ...place, command: twice }, events);
    },
  };
}

const newer = { rules: newerRules };
const upgrade = (files: PowerCutFiles, rules = newerRules) => upgradeJournal(files, rules, SMALL_LIMITS.segmentBytes);

/** Eleven records of the older rules, with 110 in alice's cash at the end. */
async function olderJournal(isStoppedCleanly = true): Promise<PowerCutFiles> {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files);
  await writer.submit(open('alice'));
  for (let number = 0; number < 10; number += 1) await writer.submit(credit(1, 11, `key ${number}`));
  if (isStoppedCleanly) await writer.close();
  return files;
}

const verified = (files: PowerCutFiles) => OfflineJournal.open(files).then(verifyJournal);

describe('newer rules', () => {
  it('are refused by a start, which says what to run', async () => {
    for (const isStoppedCleanly of [true, false]) {
      const files = await olderJournal(isStoppedCleanly);
      await expect(openToyWriter(files.afterKill(), newer)).rejects.toThrow(/version 1 of the rules.* journal upgrade$/);
    }
  });

  it('that cannot read the older ones say to start over, and suggest no upgrade', async () => {
    const rules = { ...newerRules, oldestRulesVersion: 2 };
    for (const isStoppedCleanly of [true, false]) {
      const files = await olderJournal(isStoppedCleanly);
      const fault = await openToyWriter(files.afterKill(), { rules }).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(RecoveryRefused);
      expect((fault as Error).message).toMatch(
        /version 1 of the rules.*continue with a program of that version, or start over with another --data-dir/,
      );
      expect((fault as Error).message).not.toContain('upgrade');
    }
    await expect(upgrade(await olderJournal(), rules)).rejects.toThrow(
      /^this program cannot read a journal of version 1; continue with/,
    );
  });

  it('continue from the state of the older ones after an upgrade', async () => {
    const files = await olderJournal();
    const before = await verified(files);
    expect(await upgrade(files)).toMatchObject({ sequence: 11, fromRules: 1, toRules: 2, isResumed: false });
    const followFrom = { sequence: before.sequence, chainDigest: before.chainDigest };
    const writer = await openToyWriter(files, { ...newer, followFrom });
    expect(writer.recovered).toMatchObject({ sequence: 11, snapshotSequence: 11, rerunCount: 0, republishedCount: 0 });
    expect((await writer.submit(credit(1, 10))).events.at(-1)).toMatchObject({ cashAtoms: 130 });
    expect((await writer.submit(credit(1, 11, 'key 3'))).replayed).toBe(true);
    await writer.close();

    const bare = new Map([...files.contents()].filter(([name]) => !name.startsWith('snapshot')));
    const again = await openToyWriter(new PowerCutFiles(undefined, bare), newer);
    expect(again.recovered).toMatchObject({ sequence: 12, snapshotSequence: 11, rerunCount: 1, republishedCount: 12 });
    expect(await verified(files)).toMatchObject({
      rules: [
        { rulesVersion: 1, lastSequence: 11 },
        { rulesVersion: 2, firstSequence: 12 },
      ],
      boundaries: [{ sequence: 11, fromRules: 1, toRules: 2 }],
      snapshots: [{ sequence: 12, state: 'sound' }, { name: 'boundary-0000000000000011.state', state: 'sound' }, {}],
    });
    const { report } = await replayJournal(await OfflineJournal.open(files), newerRules, { from: 'start' });
    expect(report).toMatchObject({ afterSequence: 11, rerunCount: 1, confirmedSnapshots: ['snapshot-0000000000000012.state'] });
  });

  it('are not upgraded to twice, and not left again for older ones', async () => {
    const files = await olderJournal();
    await upgrade(files);
    await expect(upgrade(files)).rejects.toThrow(/is of version 2 of the rules already/);
    await expect(openToyWriter(files)).rejects.toThrow(/version 2 of the rules.*start a program of the newer version$/);
    const writer = await openToyWriter(files, newer);
    await writer.submit(credit(1, 1));
    await writer.close();
    await expect(upgrade(files)).rejects.toThrow(/already/);
    await expect(upgrade(files, toyRules)).rejects.toThrow(/take a newer program$/);
  });

  it('are not upgraded to without the state of the older ones', async () => {
    await expect(upgrade(await olderJournal(false))).rejects.toThrow(/no whole snapshot after record 11.*stop it cleanly/);
    await expect(upgrade(new PowerCutFiles())).rejects.toThrow(/nothing to upgrade/);
    const files = await olderJournal();
    const contents = files.contents();
    const bytes = contents.get('snapshot-0000000000000011.state')!;
    bytes[60]! ^= 1;
    await expect(upgrade(new PowerCutFiles(undefined, contents))).rejects.toThrow(/no whole snapshot/);
    const other = new PowerCutFiles();
    const writer = await openToyWriter(other);
    for (let number = 0; number < 11; number += 1) await writer.submit(open(`other ${number}`));
    await writer.close();
    const foreign = files
      .contents()
      .set('snapshot-0000000000000011.state', other.contents().get('snapshot-0000000000000011.state')!);
    await expect(upgrade(new PowerCutFiles(undefined, foreign))).rejects.toThrow(/no whole snapshot/);
  });

  it('are not upgraded to on a damaged journal', async () => {
    const contents = (await olderJournal()).contents();
    contents.get('segment-00000001.journal')![600]! ^= 1;
    contents.set('segment-00000099.journal.unfinished', new Uint8Array(100));
    const damaged = new PowerCutFiles(undefined, contents);
    await expect(upgrade(damaged)).rejects.toMatchObject({ name: 'JournalDamaged' });
    expect(damaged.operations).toBe(0);
  });

  it('cannot continue without the state that they started with, and say so', async () => {
    const files = await olderJournal();
    await upgrade(files);
    const contents = files.contents();
    contents.delete('boundary-0000000000000011.state');
    await expect(openToyWriter(new PowerCutFiles(undefined, contents))).rejects.toThrow(
      /upgraded to version 2 .* after record 11/,
    );
    await expect(openToyWriter(new PowerCutFiles(undefined, contents), newer)).rejects.toThrow(/version 1.*journal upgrade$/);
    expect(await upgrade(new PowerCutFiles(undefined, contents))).toMatchObject({ isResumed: true });
    contents.delete('snapshot-0000000000000011.state');
    await expect(openToyWriter(new PowerCutFiles(undefined, contents), newer)).rejects.toBeInstanceOf(RecoveryRefused);
  });

  it('follow other newer rules', async () => {
    const files = await olderJournal();
    await upgrade(files);
    const writer = await openToyWriter(files, newer);
    await writer.submit(credit(1, 10));
    await writer.close();
    const newest = { ...newerRules, rulesVersion: 3 };
    expect(await upgrade(files, newest)).toMatchObject({ sequence: 12, fromRules: 2, toRules: 3 });
    const last = await openToyWriter(files, { rules: newest });
    expect((await last.submit(credit(1, 10))).events.at(-1)).toMatchObject({ cashAtoms: 150 });
    expect((await verified(files)).boundaries.map(({ sequence, toRules }) => [sequence, toRules])).toEqual([
      [11, 2],
      [12, 3],
    ]);
  });
});

it('completes or can repeat an upgrade after a power cut at any operation', async () => {
  const random = seededRandom(7);
  const whole = (await olderJournal()).contents();
  const outcomes = { undone: 0, resumed: 0, done: 0 };
  for (let cutAt = 1, isCut = true; isCut; cutAt += 1) {
    const fault = ({ ordinal }: { ordinal: number }): Fault => (ordinal === cutAt ? 'power_cut' : undefined);
    const files = new PowerCutFiles(fault, whole);
    await upgrade(files).catch((cause: unknown) => cause);
    isCut = !files.hasPower;
    const tears = isCut ? TEARS : TEARS.slice(0, 1);
    for (const tear of tears) {
      const restarted = new PowerCutFiles(undefined, isCut ? files.afterPowerCut(tear, random) : files.contents());
      const first = await openToyWriter(restarted.afterKill(), newer).catch((cause: unknown) => cause);
      if (first instanceof RecoveryRefused) {
        expect(first.message).toMatch(/journal upgrade$/);
        const { isResumed } = await upgrade(restarted);
        outcomes[isResumed ? 'resumed' : 'undone'] += 1;
      } else {
        outcomes.done += 1;
      }
      const writer = await openToyWriter(restarted, newer);
      expect((await writer.submit(credit(1, 10))).events.at(-1)).toMatchObject({ cashAtoms: 130 });
      expect((await verified(restarted)).boundaries).toHaveLength(1);
    }
  }
  expect(
    Object.values(outcomes).every((count) => count > 0),
    JSON.stringify(outcomes),
  ).toBe(true);
});
