/** Each key of `has` once: claimed, and as the suites found it; not claimed, and refused before any request; or a fact, and so. */
import ccxt, { type Exchange } from 'ccxt';
import type { Cast } from './cast.ts';
import type { Findings } from './findings.ts';
import { checkFact, claimedMethods, FACT_KEYS, unclaimedMethods } from './has-keys.ts';
import { checkedMethod, type MethodResult, unclaimedMethod } from './report.ts';
import { argumentsFor } from './unclaimed.ts';
import { describe } from './watched.ts';

/** What the class with sockets claims is claimed; what the class without them does not claim must be refused by it all the same. */
export async function judge(cast: Cast, findings: Findings): Promise<readonly MethodResult[]> {
  const { byClass, bySockets, anotherByClass: another, url } = cast;
  for (const exchange of [byClass, bySockets])
    for (const key of FACT_KEYS) findings.note('own', key, await checkFact(key, { exchange, another, url }));
  for (const exchange of [byClass, bySockets])
    for (const method of unclaimedMethods(exchange)) await checkUnclaimed(method, exchange, findings);
  const ofNoKey = findings.methods().filter((method) => !Object.hasOwn(bySockets.has, method));
  const claimed = [...ofNoKey, ...claimedMethods(bySockets), ...FACT_KEYS];
  return [
    ...claimed.map((method) => checkedMethod(method, findings.of(method))),
    ...unclaimedMethods(bySockets).map((method) => unclaimedMethod(method, findings.of(method))),
  ];
}

/** Its requests are counted instead of sent. Only what is wrong is noted. */
async function checkUnclaimed(method: string, of: Exchange, findings: Findings): Promise<void> {
  const exchange: Exchange = Reflect.construct(of.constructor, [{ apiKey: 'unasked' }]);
  exchange.setMarkets(of.markets);
  const call = Reflect.get(exchange, method);
  if (typeof call !== 'function') return;
  let requests = 0;
  exchange.fetch = async () => {
    requests += 1;
    throw new ccxt.NetworkError('not to be sent');
  };
  const error = await Promise.resolve()
    .then(() => Reflect.apply(call, exchange, argumentsFor(method)))
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (error instanceof ccxt.NotSupported && requests === 0) return;
  findings.note('own', method, [error === undefined ? 'not claimed, but it works' : `not claimed, but: ${describe(error)}`]);
}
