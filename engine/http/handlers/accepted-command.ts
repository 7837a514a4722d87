/**
 * Reads the result of an applied command. While the read model is rebuilt, the response must not be that nothing was accepted.
 */
import { Refused } from '#contract/refused.ts';
import { WriterBusy } from '#writer/port/submit.ts';

const MESSAGE =
  'The venue carried out the request, but cannot return the result yet, because its data for reads is being rebuilt. Retry in a moment: the request is not carried out twice.';

/** For commands that may be repeated. Rejects with `venue_busy` and that message, or with what `read` rejects with. */
export async function readAccepted<Body>(read: Promise<Body>): Promise<Body> {
  try {
    return await read;
  } catch (thrown) {
    if (!(thrown instanceof WriterBusy)) throw thrown;
    throw new Refused('venue_busy', MESSAGE, { headers: { 'retry-after': '1' } });
  }
}
