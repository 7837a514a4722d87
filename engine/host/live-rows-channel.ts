/** Sends the realtime service its initial rows from the projection's thread, piece by piece, bypassing the main thread. */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { gathered, type LivePiece, type LivePieces, type LiveRows, type LiveRowsHead } from '#projection/projection.ts';

type Message = { readonly begin: true } | { readonly piece: LivePiece } | { readonly end: LiveRowsHead };

/** Throws if the rows cannot be read: the caller may then send all of them again. */
export function sendLiveRows(to: MessagePort, { pieces, ...end }: LivePieces): void {
  to.postMessage({ begin: true } satisfies Message);
  for (const piece of pieces) to.postMessage({ piece } satisfies Message);
  to.postMessage({ end } satisfies Message);
}

/** Rejects if the sender ends before all rows were sent. */
export async function receiveLiveRows(from: MessagePort): Promise<LiveRows> {
  let pieces: LivePiece[] = [];
  let end: LiveRowsHead | undefined;
  from.on('message', (sent: Message) => {
    if ('begin' in sent) pieces = [];
    else if ('end' in sent) end = sent.end;
    else pieces.push(sent.piece);
  });
  await once(from, 'close');
  if (end === undefined) throw new Error('the initial rows did not arrive completely');
  return gathered({ ...end, pieces });
}
