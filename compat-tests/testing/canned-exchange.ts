/**
 * The class before a server of canned answers, both new for each test of a file: its markets are loaded, and of what it asks for
 * the recorder holds what came after that.
 */
import { afterEach, beforeEach } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedAnswer } from './canned.ts';

export const SYMBOL = 'BTC/USD.E:USD.E';

interface CannedExchange {
  readonly exchange: OpenPerp;
  readonly recorder: Recorder;
  /** The paths that were asked for. */
  asked(): readonly string[];
}

/** Called once at the top of a file of tests; what it returns is filled before each of them. */
export function cannedExchange(config: { readonly accountId?: string } = {}): CannedExchange {
  let recorder: Recorder;
  let exchange: OpenPerp;

  beforeEach(async () => {
    recorder = await startRecorder(cannedAnswer);
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
    asked: () => recorder.requests.map(({ path }) => path),
  };
}
