/**
 * The class before a server of canned responses, both new for each test of a file. Its markets are loaded; the recorder has the
 * requests after that.
 */
import { afterEach, beforeEach } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedResponse } from './canned.ts';

export const SYMBOL = 'BTC/USD.E:USD.E';

interface CannedExchange {
  readonly exchange: OpenPerp;
  readonly recorder: Recorder;
  /** The requested paths. */
  requestedPaths(): readonly string[];
}

/** Called once at the top of a test file; its result is filled before each test. */
export function cannedExchange(config: { readonly accountId?: string } = {}): CannedExchange {
  let recorder: Recorder;
  let exchange: OpenPerp;

  beforeEach(async () => {
    recorder = await startRecorder(cannedResponse);
    exchange = new OpenPerp({ apiKey: 'opk_test', urls: { api: { rest: recorder.url } }, ...config });
    await exchange.loadMarkets();
    recorder.clear();
  });

  afterEach(() => recorder.close());

  return {
    get exchange() {
      return exchange;
    },
    get recorder() {
      return recorder;
    },
    requestedPaths: () => recorder.requests.map(({ path }) => path),
  };
}
