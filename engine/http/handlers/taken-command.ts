/** Reads what came of a command that the venue has taken. While what is read is being rebuilt the answer must not be that nothing was accepted. */
import { Refused } from '#contract/refused.ts';
import { WriterBusy } from '#writer/port/submit.ts';

const MESSAGE =
  'The venue has taken this and cannot show yet what came of it: what is read is being rebuilt. Send the same again in a moment: it has no effect twice.';

/** For commands that may come again. Rejects with a refusal that says so, or with what `read` rejects with. */
export async function readTaken<Body>(read: Promise<Body>): Promise<Body> {
  try {
    return await read;
  } catch (thrown) {
    if (!(thrown instanceof WriterBusy)) throw thrown;
    throw new Refused('venue_busy', MESSAGE, { headers: { 'retry-after': '1' } });
  }
}
