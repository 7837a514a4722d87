/** The cursor of transfers is defined by the interface (4.5): base64url JSON, which clients can also make themselves. */

import { Refused } from '#contract/refused.ts';
import { type TransferPlace, transferPlace } from '#contract/transfers.ts';

export function transferCursor({ updatedAtEpochMs, transferId }: TransferPlace): string {
  return Buffer.from(JSON.stringify({ updatedAtEpochMs, transferId })).toString('base64url');
}

/** Throws {@link Refused} `invalid_cursor`. */
export function placeOfCursor(cursor: string): TransferPlace {
  const parsed = transferPlace.safeParse(jsonIn(cursor));
  if (parsed.success) return parsed.data;
  throw new Refused(
    'invalid_cursor',
    'The cursor is not the base64url of a JSON object with updatedAtEpochMs and transferId: send the nextCursor of the previous page.',
  );
}

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
