/**
 * The events of recorded commands, by version of the rules. A start runs commands of the journal again and reports other events as
 * damage, so a change of behaviour needs a new version. `testing/golden-turns` has the commands, and for each version the digest of
 * every turn's events and the state after the first run. The first test run after a new `RULES_VERSION` adds its files; no option
 * rewrites them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from './command.ts';
import { checkInvariants } from './invariants.ts';
import { ByteWriter } from './record/cursor.ts';
import { EventWriter } from './record/event-writer.ts';
import { OLDEST_RULES_VERSION, RULES_VERSION, Venue } from './venue.ts';

interface RecordedTurn {
  /** Each run starts with a new venue. */
  readonly run: number;
  readonly epochMs: EpochMs;
  readonly command: Command;
}

const FOLDER = join(import.meta.dirname, 'testing/golden-turns');
const DIGEST_LENGTH = 8;
const isReadOnly = process.env.CI !== undefined;
const versions = Array.from({ length: RULES_VERSION - OLDEST_RULES_VERSION + 1 }, (_, index) => OLDEST_RULES_VERSION + index);

const turns = unpacked('commands.jsonl.br')
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedTurn);

function unpacked(name: string): Buffer {
  return brotliDecompressSync(readFileSync(join(FOLDER, name)));
}

/** Digests of the events, one for each turn, and the state after the first run, which has every kind of command. */
function rerun(): { readonly digests: readonly string[]; readonly state: Uint8Array } {
  const bytes = new ByteWriter();
  const events = new EventWriter(bytes);
  const venues: Venue[] = [];
  const digests = turns.map(({ run, epochMs, command }, index) => {
    if (run !== turns[index - 1]?.run) venues.push(new Venue());
    bytes.reset();
    events.restart();
    venues.at(-1)!.turn({ sequence: (index + 1) as Sequence, epochMs, command }, events);
    return createHash('sha256').update(bytes.written()).digest('hex').slice(0, DIGEST_LENGTH);
  });
  return { digests, state: venues[0]!.snapshot() };
}

/** Returns the file's content, which is `made` if there is no file yet. */
function fileOf(name: string, made: Uint8Array): Buffer {
  const path = join(FOLDER, name);
  if (!existsSync(path) && !isReadOnly) writeFileSync(path, made);
  return readFileSync(path);
}

test('runs recorded commands with the same events, or has a new RULES_VERSION', () => {
  const { digests, state } = rerun();
  fileOf(`rules-${RULES_VERSION}.state.br`, brotliCompressSync(state));
  const golden = fileOf(`rules-${RULES_VERSION}.txt`, Buffer.from(`${digests.join('\n')}\n`))
    .toString()
    .trimEnd()
    .split('\n');
  const changed = digests.findIndex((digest, index) => digest !== golden[index]);
  expect(
    changed < 0 ? undefined : turns[changed],
    `version ${RULES_VERSION} of the rules gave this command other events: raise RULES_VERSION in engine/venue/venue.ts, ` +
      `or keep the behaviour of journals that exist; if no journal has version ${RULES_VERSION} yet, delete rules-${RULES_VERSION}.* and run again`,
  ).toBeUndefined();
});

test.each(versions)('continues from a state of version %d', (version) => {
  const state = unpacked(`rules-${version}.state.br`);
  const restore = () => {
    const venue = Venue.restore(state);
    checkInvariants(venue.state);
    return venue;
  };
  expect(
    restore,
    `journal upgrade restores states of version ${version}: keep their layout readable, or raise OLDEST_RULES_VERSION`,
  ).not.toThrow();
  if (version !== RULES_VERSION) return;
  expect(
    Buffer.from(restore().snapshot()).equals(state),
    'the state has another layout: raise RULES_VERSION in engine/venue/venue.ts',
  ).toBe(true);
});
