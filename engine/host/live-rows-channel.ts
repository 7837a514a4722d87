/** How the realtime service gets the rows that it begins with: from the thread of the projection, piece by piece, past the main thread. */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { gathered, type LivePiece, type LivePieces, type LivePlace, type LiveRows } from '#projection/projection.ts';

type Sent = { readonly begin: true } | { readonly piece: LivePiece } | { readonly end: LivePlace };

/** Throws what keeps the rows from being read: they may then be sent again, from the first piece on. */
export function sendLiveRows(to: MessagePort, { pieces, ...end }: LivePieces): void {
  to.postMessage({ begin: true } satisfies Sent);
  for (const piece of pieces) to.postMessage({ piece } satisfies Sent);
  to.postMessage({ end } satisfies Sent);
}

/** Rejects where the sender ends before they are all there. */
export async function receiveLiveRows(from: MessagePort): Promise<LiveRows> {
  let pieces: LivePiece[] = [];
  let end: LivePlace | undefined;
  from.on('message', (sent: Sent) => {
    if ('begin' in sent) pieces = [];
    else if ('end' in sent) end = sent.end;
    else pieces.push(sent.piece);
  });
  await once(from, 'close');
  if (end === undefined) throw new Error('the rows to begin with did not come');
  return gathered({ ...end, pieces });
}
