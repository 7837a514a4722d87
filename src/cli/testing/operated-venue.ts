/** A venue in this process for the tests of a file, and the operator's commands on it. */
import { afterAll, beforeAll } from 'vitest';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { runOperatorCommand } from '#cli/operator-command.ts';

interface OperatedVenue {
  readonly venue: TestVenue;
  /** Runs a command line; resolves with its text. */
  run(line: string): Promise<string>;
  /** The same with `--json`. */
  data(line: string): Promise<Record<string, string>>;
  get(path: string, apiKey: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** Sends an order of an account; its client order id is the idempotency key. */
  place(owner: { accountId: string; apiKey: string }, order: OrderTerms): Promise<Response>;
}

type OrderTerms = Record<'marketId' | 'clientOrderId' | 'side' | 'quantity' | 'price', string>;

/** Call it at the top of a test file. */
export function operatedVenue(): OperatedVenue {
  const { path: dataDirectory, remove } = temporaryDirectory();
  let venue: TestVenue;
  beforeAll(async () => {
    venue = await startTestVenue(testConfig(dataDirectory));
  });
  afterAll(async () => {
    await venue.stop();
    remove();
  });
  const run = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', dataDirectory]);
  return {
    get venue() {
      return venue;
    },
    run,
    data: async (line) => JSON.parse(await run(`${line} --json`)),
    get: async (path, apiKey) => {
      const response = await fetch(venue.url + path, { headers: { authorization: `Bearer ${apiKey}` } });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    place: ({ accountId, apiKey }, order) =>
      fetch(`${venue.url}/v1/orders`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': order.clientOrderId,
        },
        body: JSON.stringify({ ...order, orderType: 'limit', accountId }),
      }),
  };
}
