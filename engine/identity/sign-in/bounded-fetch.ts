/** Requests to a provider: each ends within a time, and a response is read up to a size. */
import { type Timers, timeoutSignal } from '#time/timers.ts';

export interface FetchBounds {
  readonly timers: Timers;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** Rejects if the response is late, too large, or does not arrive. The body has been read when it resolves. */
export function boundedFetch({ timers, timeoutMs, maxBytes }: FetchBounds): Fetch {
  return async (url, options) => {
    const timeout = timeoutSignal(timers, timeoutMs);
    try {
      const response = await fetch(url, { ...options, signal: timeout.signal });
      const body = await readUpTo(response, maxBytes);
      return new Response(NULL_BODY_STATUSES.includes(response.status) ? null : body, response);
    } finally {
      timeout.cancel();
    }
  };
}

/** Fetch Standard: a response with one of them has no body. */
const NULL_BODY_STATUSES: readonly number[] = [101, 103, 204, 205, 304];

async function readUpTo({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
