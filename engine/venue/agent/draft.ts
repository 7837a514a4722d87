/**
 * A draft: the text of a script that an owner may deploy. The venue stores the text and two digests, which the caller computes: of the
 * text, and of the review that the owner confirmed.
 */
import type { AccountOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

export interface AgentDraft {
  readonly draft: AgentDraftOrdinal;
  readonly account: AccountOrdinal;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly textDigest: string;
  /** SHA-256 of the confirmed review, in hex; empty before the first one. */
  readonly reviewDigest: string;
  readonly createdAtEpochMs: EpochMs;
}

/** The maximum length of a script, in UTF-16 units. */
export const MAX_SCRIPT_LENGTH = 16_384;
export const MAX_DRAFT_NAME_LENGTH = 64;
/** The maximum number of drafts of an owner. */
export const MAX_DRAFTS = 100;
/** The maximum size of an owner's drafts together, so that a few owners do not take the room of all. */
export const MAX_OWNER_DRAFTED_SIZE = 131_072;
/** The maximum size of all drafts of the venue together, which are in its state and in every snapshot. */
export const MAX_DRAFTED_SIZE = 33_554_432;
/** A short draft counts as much, so that the number of drafts is bounded too. */
const MIN_DRAFT_SIZE = 1_024;

/** What a script counts among all drafts. */
export function draftSizeOf({ text }: Pick<AgentDraft, 'text'>): number {
  return Math.max(MIN_DRAFT_SIZE, text.length);
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Whether a text can be a SHA-256 in hex. */
export function isDigest(text: string): boolean {
  return SHA256_HEX.test(text);
}

/** The layout in a snapshot. */
export function draftLayout(io: Cursor, it: AgentDraft): AgentDraft {
  return {
    draft: io.int(it.draft),
    account: io.u32(it.account),
    name: io.text(it.name),
    text: io.text(it.text),
    textDigest: io.text(it.textDigest),
    reviewDigest: io.text(it.reviewDigest),
    createdAtEpochMs: io.int(it.createdAtEpochMs),
  };
}
