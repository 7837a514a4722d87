/**
 * Flips every bit of sampled groups, and cuts the journal at close intervals: no acknowledged record is lost silently.
 * OPENPERP_JOURNAL_CUTS=65536 cuts at every byte of the last 64 KiB (400 places by default).
 */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { GROUP_HEADER_BYTES, paddedLength, readGroupHeader, SECTOR_BYTES } from './group.ts';
import { JournalDamaged } from './journal-fault.ts';

const CUTS = Number(process.env.OPENPERP_JOURNAL_CUTS ?? 400);
const MAX_MS = 600_000 + CUTS * 30;
const LAST_BYTES = 64 * 1024;

type Contents = Map<string, Uint8Array>;

interface PlacedGroup {
  readonly name: string;
  readonly offset: number;
  readonly byteLength: number;
  readonly firstSequence: number;
  readonly recordCount: number;
}

function groupsOf(contents: Contents): readonly PlacedGroup[] {
  return [...contents].sort().flatMap(([name, bytes]) => {
    const groups: PlacedGroup[] = [];
    if (!name.endsWith('.journal')) return groups;
    for (let offset = 0; ; offset += paddedLength(groups.at(-1)!.byteLength)) {
      const header = readGroupHeader(bytes, offset);
      if (header === undefined) return groups;
      groups.push({ name, offset, ...header });
    }
  });
}

function copyOf(contents: Contents): Contents {
  return new Map([...contents].map(([name, bytes]) => [name, bytes.slice()]));
}

/** Starts on the contents. Returns the writer or the error, the files afterwards, and the state. */
async function start(contents: Contents) {
  const files = new PowerCutFiles(undefined, contents);
  let state: StateMachine | undefined;
  const remember = (created: StateMachine): StateMachine => {
    state = created;
    return created;
  };
  const rules = {
    ...toyRules,
    fresh: () => remember(toyRules.fresh()),
    restore: (bytes: Uint8Array) => remember(toyRules.restore(bytes)),
  };
  const writer = await openToyWriter(files, { rules }).catch((cause: unknown) => cause);
  return { writer, files, state: () => state!.snapshot() };
}

type ToyWriter = Awaited<ReturnType<typeof openToyWriter>>;

describe('flipped bit', () => {
  /** Groups of one to three records over a few segments, with a snapshot in between; the last group contains `last`. */
  async function journal(last: string): Promise<Contents> {
    const files = new PowerCutFiles();
    const first = await openToyWriter(files);
    await first.submit(open('alice'));
    for (let group = 0; group < 12; group += 1) {
      await Promise.all(
        Array.from({ length: (group % 3) + 1 }, (_, index) => first.submit(credit(1, index, `key ${group} ${index}`))),
      );
    }
    await first.close();
    const snapshots = new Map([...files.contents()].filter(([name]) => name.startsWith('snapshot')));
    const second = await openToyWriter(files);
    for (let group = 0; group < 4; group += 1) await second.submit(credit(1, group));
    await second.submit(open(last, 'key'));
    const segments = new Map([...files.contents()].filter(([name]) => name.endsWith('.journal')));
    return new Map([...segments, ...snapshots]);
  }

  /**
   * Expects every flipped bit of the group and its padding (or one of each byte) to refuse the start with the place and change
   * nothing.
   */
  async function expectRefusals(whole: Contents, group: PlacedGroup, bitsPerByte = 8): Promise<void> {
    const end = group.offset + paddedLength(group.byteLength);
    const bytes = whole.get(group.name)!;
    const wrong: string[] = [];
    for (let at = group.offset; at < end; at += 1) {
      for (let count = 0; count < bitsPerByte; count += 1) {
        const bit = (at + count) % 8;
        bytes[at]! ^= 1 << bit;
        const { writer, files } = await start(whole);
        const place = writer instanceof JournalDamaged ? writer.place : undefined;
        const index = (place?.sequence ?? 0) - group.firstSequence;
        const isNamed = place?.segment === group.name && place.offset >= group.offset && place.offset < end;
        const isUnchanged = files.operations === 0;
        if (!isNamed || !isUnchanged || index < 0 || index >= group.recordCount)
          wrong.push(`bit ${bit} of byte ${at}: ${String(writer)}`);
        bytes[at]! ^= 1 << bit;
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  }

  it.each([
    ['in the part that is not rerun', (groups: readonly PlacedGroup[]) => groups[2]!],
    ['in the part that is rerun', (groups: readonly PlacedGroup[]) => groups.at(-3)!],
    ['in the acknowledged last group', (groups: readonly PlacedGroup[]) => groups.at(-1)!],
  ])('%s refuses the start and names the record', async (_, choose) => {
    const whole = await journal('last');
    await expectRefusals(whole, choose(groupsOf(whole)));
  });

  it('in a last group with a blank sector is distinguished from a torn write', async () => {
    const whole = await journal('\0'.repeat(1_100));
    const last = groupsOf(whole).at(-1)!;
    const sectors = paddedLength(last.byteLength) / SECTOR_BYTES;
    const blank = Array.from({ length: sectors }, (_, sector) => last.offset + sector * SECTOR_BYTES).filter((at) =>
      whole
        .get(last.name)!
        .subarray(at, at + SECTOR_BYTES)
        .every((byte) => byte === 0),
    );
    expect(blank.length).toBeGreaterThan(0);
    await expectRefusals(whole, last, 1);
    whole.get(last.name)!.fill(0, last.offset + last.byteLength - 100, last.offset + last.byteLength);
    expect((await start(whole)).writer).toMatchObject({ recovered: { tornTail: { offset: last.offset } } });
  });

  it('in a record names that record, wherever in the journal it is', async () => {
    const whole = await journal('last');
    for (const group of groupsOf(whole)) {
      const view = new DataView(whole.get(group.name)!.buffer);
      let at = group.offset + GROUP_HEADER_BYTES;
      for (let index = 0; index < group.recordCount; index += 1) {
        const contents = copyOf(whole);
        contents.get(group.name)![at + 20]! ^= 4;
        const place = { segment: group.name, offset: at, sequence: group.firstSequence + index };
        expect((await start(contents)).writer).toMatchObject({ name: 'JournalDamaged', place });
        at += view.getUint32(at + 4, true);
      }
    }
  });

  it('in the end mark of a segment refuses the start', async () => {
    const whole = await journal('last');
    for (const name of [...whole.keys()].filter((key) => key.endsWith('.journal'))) {
      const contents = copyOf(whole);
      contents.get(name)![contents.get(name)!.length - SECTOR_BYTES + 9]! ^= 1;
      expect((await start(contents)).writer).toMatchObject({ name: 'JournalDamaged', place: { segment: name } });
    }
  });
});

describe('cut', () => {
  /** One segment with more than 64 KiB of groups, and the state after each of them. */
  async function longJournal() {
    const files = new PowerCutFiles();
    let state: StateMachine | undefined;
    const fresh = () => {
      state = toyRules.fresh();
      return state;
    };
    const writer = await openToyWriter(files, { rules: { ...toyRules, fresh }, limits: { segmentBytes: 128 * 1024 } });
    const states = [state!.snapshot()];
    await writer.submit(open('alice'));
    states.push(state!.snapshot());
    for (let group = 0; (groupsOf(files.contents()).at(-1)?.offset ?? 0) < LAST_BYTES + 8_192; group += 1) {
      const size = 1 + ((group * 7) % 5);
      await Promise.all(
        Array.from({ length: size }, (_, index) => writer.submit(credit(1, index, undefined, 'x'.repeat((group * 131) % 700)))),
      );
      states.push(state!.snapshot());
    }
    const contents = files.contents();
    const groups = groupsOf(contents);
    expect(groups).toHaveLength(states.length - 1);
    return { contents, groups, states, committedGroups: writer.groups as readonly CommittedGroup[] };
  }

  /** Offsets in the last 64 KiB of written data, including the ends of groups. */
  function cutsOf(groups: readonly PlacedGroup[]): readonly number[] {
    const end = groups.at(-1)!.offset + groups.at(-1)!.byteLength;
    const stride = Math.max(1, Math.floor(LAST_BYTES / CUTS));
    const spread = Array.from({ length: Math.floor(LAST_BYTES / stride) }, (_, index) => end - LAST_BYTES + index * stride);
    const edges = groups.flatMap(({ offset, byteLength }) => [offset, offset + 1, offset + byteLength - 1, offset + byteLength]);
    return [...new Set([...spread, ...edges.filter((at) => at >= end - LAST_BYTES && at < end)])];
  }

  it('of the last writes leaves the state after the last whole group, and is reported', {
    timeout: MAX_MS,
  }, async () => {
    const { contents, groups, states, committedGroups } = await longJournal();
    const { name } = groups[0]!;
    const whole = contents.get(name)!.slice();
    for (const cut of cutsOf(groups)) {
      const bytes = whole.slice();
      bytes.fill(0, cut, -SECTOR_BYTES);
      const { writer, state } = await start(new Map([[name, bytes]]));
      const intactGroups = groups.findLastIndex(({ offset, byteLength }) => offset + byteLength <= cut) + 1;
      const torn = groups[intactGroups];
      const started = writer as ToyWriter;
      expect(started.groups, `cut at ${cut}`).toEqual(committedGroups.slice(0, intactGroups));
      expect(Buffer.compare(state(), states[intactGroups]!), `cut at ${cut}`).toBe(0);
      const isReported = torn !== undefined && torn.offset < cut;
      const tornTail = isReported ? { segment: name, offset: torn.offset, byteLength: expect.any(Number) } : undefined;
      expect(started.recovered.tornTail, `cut at ${cut}`).toEqual(tornTail);
    }
  });

  it('of the file itself, which no power cut causes, is refused wherever it is', { timeout: MAX_MS }, async () => {
    const { contents, groups } = await longJournal();
    const { name } = groups[0]!;
    const whole = contents.get(name)!;
    for (const cut of cutsOf(groups).filter((_, index) => index % 3 === 0)) {
      const { writer } = await start(new Map([[name, whole.slice(0, cut)]]));
      expect(writer, `cut at ${cut}`).toMatchObject({
        name: 'JournalDamaged',
        place: { segment: name },
        message: expect.stringContaining('cut short'),
      });
    }
  });
});
