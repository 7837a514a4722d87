/** What /v2 cannot represent of an order: told as 501 NotSupported rather than left out, so that nobody gets another order than asked for. */
import { Refused } from '#contract/refused.ts';
import type { UnifiedOrderEntry } from '#contract/unified-orders.ts';

const KNOWN_PARAMS = ['clientOrderId', 'postOnly', 'reduceOnly', 'leverage'];
const TIME_IN_FORCE = 'timeInForce';

/** The type of the order, which is one of those. Throws {@link Refused} `not_supported`. */
export function refuseUnsupported<Type extends string>(entry: UnifiedOrderEntry, types: readonly Type[]): Type {
  const { type, params = {} } = entry;
  if (TIME_IN_FORCE in entry || TIME_IN_FORCE in params) {
    throw notSupported(
      'timeInForce cannot be chosen: a limit order rests until it is cancelled, a market order takes what there is.',
    );
  }
  const unknown = Object.keys(params).filter((key) => !KNOWN_PARAMS.includes(key));
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 64)));
    throw notSupported(`params has ${named.join(', ')}: this surface knows ${KNOWN_PARAMS.join(', ')}.`);
  }
  const known = types.find((it) => it === type);
  if (known !== undefined) return known;
  throw notSupported(`The type is ${JSON.stringify(type)}: here it is ${types.join(' or ')}.`);
}

function notSupported(fact: string): Refused {
  return new Refused('not_supported', `${fact} Nothing was placed.`);
}
