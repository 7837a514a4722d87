/** A method that is not claimed throws before anything is sent, by request or by socket. */
import ccxt from 'ccxt';
import { expect, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { refusalProblems } from './unclaimed.ts';

const CHATTY = ['not claimed, and refused after a request'];

const refuse = (): never => {
  throw new ccxt.NotSupported('no');
};

/** Its constructor creates exchanges that refuse the same way. */
function refusing(withdraw: (exchange: OpenPerpPro) => Promise<unknown>): OpenPerpPro {
  return new (class extends OpenPerpPro {
    override withdraw(): Promise<never> {
      return withdraw(this) as Promise<never>;
    }
  })();
}

test.each<[string, (exchange: OpenPerpPro) => Promise<unknown>, readonly string[]]>([
  ['at once', async () => refuse(), []],
  ['by nothing', async () => ({ id: '1' }), ['not claimed, but it works']],
  ['by another error', () => Promise.reject(new ccxt.BadRequest('no')), ['not claimed, but: BadRequest: no']],
  ['after a request', (it) => it.fetchTime().catch(refuse), CHATTY],
  [
    'after a socket',
    async (it) =>
      Promise.resolve()
        .then(() => it.watch('ws://localhost:1', 'it'))
        .catch(refuse),
    CHATTY,
  ],
])('refused %s', async (_, withdraw, problems) => {
  expect(await refusalProblems('withdraw', refusing(withdraw))).toEqual(problems);
});
