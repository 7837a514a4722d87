/**
 * The boundary between two versions of the rules in a journal: a group without records, with the digests of the state as the
 * older rules left it and as the newer ones continue from it. Records before it are verified by the chain and never rerun.
 */
import type { Sequence } from '#units/ids.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import type { ScannedGroup } from '#writer/journal/chain-walk.ts';
import { noteOf } from '#writer/journal/group.ts';
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { DIGEST_BYTES } from '#writer/journal/record.ts';

export interface RulesBoundary {
  /** The last record of the older rules. */
  readonly sequence: Sequence;
  readonly fromRules: number;
  readonly toRules: number;
  /** SHA-256 of the state in either form. */
  readonly oldStateDigest: Uint8Array;
  readonly newStateDigest: Uint8Array;
}

/** The kind of note, in case there will be others. */
const KIND = 'rules boundary';

export function boundaryNote({ fromRules, toRules, oldStateDigest, newStateDigest }: RulesBoundary): Uint8Array {
  const bytes = new ByteWriter(128);
  bytes.text(KIND);
  bytes.u32(fromRules);
  bytes.u32(toRules);
  bytes.bytes(oldStateDigest);
  bytes.bytes(newStateDigest);
  return bytes.copy();
}

/** Reads the note of a group without records. Throws {@link RecoveryRefused} for a note of another kind. */
export function readBoundary(group: ScannedGroup): RulesBoundary {
  const bytes = new ByteReader(new Uint8Array(noteOf(group)));
  const kind = bytes.text();
  if (kind !== KIND) {
    throw new RecoveryRefused(
      `the journal has a note after record ${group.lastSequence} that this version does not know: ${kind}`,
    );
  }
  return {
    sequence: group.lastSequence,
    fromRules: bytes.u32(),
    toRules: bytes.u32(),
    oldStateDigest: bytes.bytes(DIGEST_BYTES),
    newStateDigest: bytes.bytes(DIGEST_BYTES),
  };
}
