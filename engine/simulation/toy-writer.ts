/** A writer over the toy ledger on files of the caller's choice, with small limits and a clock that the caller moves. */
import { createHash } from 'node:crypto';
import { systemTime } from '#time/system-time.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Files } from '#writer/journal/files.ts';
import type { Halt } from '#writer/port/halt.ts';
import type { CommittedGroup, Submission } from '#writer/port/submit.ts';
import type { Writer, WriterOptions } from '#writer/writer.ts';
import { openWriter } from '#writer/writer.ts';
import { toyRules } from './toy-ledger.ts';

/** A few groups fill a segment. The only snapshot is the one at the end. */
export const SMALL_LIMITS = {
  segmentBytes: 4_096,
  recordsPerSnapshot: 1_000_000,
  msPerSnapshot: 0,
  maxKeys: 1_000,
  maxKeysPerAccount: 1_000,
};

/** The position of an empty projection. */
export const FROM_THE_START = { sequence: 0 as Sequence, chainDigest: '' };

export interface ToyWriter extends Writer {
  /** The wall clock, which may be set, and the steady one. */
  readonly clock: { epochMs: number; elapsedMs: number };
  /** Advances both clocks. */
  pass(ms: number): void;
  /** The published groups, the recovered ones first. */
  readonly groups: CommittedGroup[];
  readonly halts: Halt[];
}

export async function openToyWriter(files: Files, options: Partial<WriterOptions> = {}): Promise<ToyWriter> {
  const clock = { epochMs: 1_700_000_000_000, elapsedMs: 0 };
  const groups: CommittedGroup[] = [];
  const halts: Halt[] = [];
  const writer = await openWriter({
    files,
    clock: { now: () => clock.epochMs as EpochMs },
    steadyClock: { elapsedMs: () => clock.elapsedMs },
    timers: systemTime.timers,
    rules: toyRules,
    follow: (group) => groups.push(group),
    followFrom: FROM_THE_START,
    onHalt: (halt) => halts.push(halt),
    ...options,
    limits: { ...SMALL_LIMITS, ...options.limits },
  });
  const pass = (ms: number) => {
    clock.epochMs += ms;
    clock.elapsedMs += ms;
  };
  return { ...writer, clock, pass, groups, halts };
}

export function open(label: string, key?: string, body = label): Submission {
  return { command: { type: 'OpenAccount', label, partyId: '', digestSeed: 7 }, ...keyed(key, body) };
}

export function credit(account: number, amount: number, key?: string, body = `${account} ${amount}`): Submission {
  const command = {
    type: 'CreditCash',
    account: account as AccountOrdinal,
    amountAtoms: amount as QuoteAtoms,
    reference: body,
  } as const;
  return { command, ...keyed(key, body) };
}

function keyed(key: string | undefined, body: string): Pick<Submission, 'idempotency'> {
  return key === undefined ? {} : { idempotency: { keyDigest: digestOf(key), bodyDigest: digestOf(body) } };
}

export function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
