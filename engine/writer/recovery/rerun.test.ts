/** Reruns records of a group by a toy, so that the journal's events and the resulting ones can be made to differ. */
import { describe, expect, it } from 'vitest';
import { toyRules } from '#simulation/toy-ledger.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { ScannedGroup } from '#writer/journal/chain-walk.ts';
import { CHAIN_START, GroupBuilder } from '#writer/journal/group.ts';
import { Rerun } from './rerun.ts';

const RULES = toyRules.rulesVersion;
const opening: Command = { type: 'OpenAccount', label: 'alice', partyId: 'party', digestSeed: 1 };
const credit = (amount: number): Command => ({
  type: 'CreditCash',
  account: 1 as AccountOrdinal,
  amountAtoms: amount as QuoteAtoms,
  reference: 'test',
});
/** The only record with an idempotency key. */
const KEYED = 2;

interface BuiltGroup {
  readonly group: ScannedGroup;
  readonly offsets: readonly number[];
  /** The offset of each record's last byte, which belongs to one of its events. */
  readonly ends: readonly number[];
}

/** A group as the writer makes it, in a buffer of its own. */
function groupOf(commands: readonly Command[], rulesVersion = RULES): BuiltGroup {
  const builder = new GroupBuilder();
  builder.begin(1, 1 as Sequence, CHAIN_START);
  const state = toyRules.fresh();
  const ends: number[] = [];
  for (const [index, command] of commands.entries()) {
    const sequence = (index + 1) as Sequence;
    const epochMs = (1_000 + index) as EpochMs;
    const digest = new Uint8Array(32).fill(index);
    const key = sequence === KEYED ? { account: 1, keyDigest: digest, bodyDigest: digest } : undefined;
    builder.openRecord({ sequence, epochMs, rulesVersion, key }, command);
    state.turn({ sequence, epochMs, command }, builder.events);
    builder.closeRecord();
    ends.push(builder.byteLength - 1);
  }
  const offsets = [...builder.recordOffsets];
  builder.seal();
  const { header, bytes, digest } = builder.sealed;
  const place = { segment: 3, offset: 4_096, lastSequence: commands.length as Sequence };
  // Not at the start of its buffer, like every group of a segment but the first.
  const memory = new Uint8Array(bytes.length + 512);
  memory.set(bytes, 512);
  return { group: { header, bytes: memory.subarray(512), digest, ...place }, offsets, ends };
}

const rerun = () => new Rerun(toyRules.fresh(), toyRules);

describe('rerun records', () => {
  it('result in the same events, with and without a key', () => {
    const { group } = groupOf([opening, credit(5), credit(8), credit(13)]);
    const run = rerun();
    expect(run.run(group)).toBe(4);
    expect(run.count).toBe(4);
  });

  it('end with the requested one', () => {
    const { group } = groupOf([opening, credit(5), credit(8)]);
    const run = rerun();
    expect(run.run(group, 2)).toBe(2);
    expect(run.run(group, 0)).toBe(0);
    expect(run.count).toBe(2);
  });

  it('are compared to the byte, even if their events outgrow the buffer', () => {
    const label = 'x'.repeat(60_000);
    const { group, ends, offsets } = groupOf([opening, { ...opening, label, partyId: label }, credit(5)]);
    expect(rerun().run(group)).toBe(3);
    for (const [index, end] of ends.entries()) {
      const changed = { ...group, bytes: group.bytes.slice() };
      changed.bytes[end]! ^= 1;
      const place = { segment: 'segment-00000003.journal', offset: 4_096 + offsets[index]!, sequence: index + 1 };
      expect(() => rerun().run(changed)).toThrow(expect.objectContaining({ name: 'JournalDamaged', place }));
    }
  });

  it('are compared by the number of their events', () => {
    const { group, offsets } = groupOf([opening, credit(5)]);
    group.bytes[offsets[1]! + 28]! += 1;
    expect(() => rerun().run(group)).toThrow('results in other events');
  });

  it('have commands that end where their events begin', () => {
    const { group, offsets } = groupOf([opening, credit(5), credit(6)]);
    const lengthAt = offsets[2]! + 33;
    for (const by of [1, -1]) {
      const changed = { ...group, bytes: group.bytes.slice() };
      changed.bytes[lengthAt]! += by;
      expect(() => rerun().run(changed)).toThrow(expect.objectContaining({ name: 'RecoveryRefused' }));
    }
    const long = { ...group, bytes: group.bytes.slice() };
    long.bytes[lengthAt + 2] = 9;
    expect(() => rerun().run(long)).toThrow('longer than it says');
  });

  it('are of these rules only', () => {
    const { group } = groupOf([opening], RULES + 1);
    expect(() => rerun().run(group)).toThrow(expect.objectContaining({ name: 'RecoveryRefused' }));
  });
});
