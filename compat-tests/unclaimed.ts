/** Methods that the class does not claim: called with valid arguments, they must throw NotSupported without a request. */
import ccxt, { type Exchange } from 'ccxt';
import { describe } from './watched.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const CODE = 'USD.E';

/** Valid arguments, for methods that check them before they refuse. */
const SPECIAL: Readonly<Record<string, readonly unknown[]>> = {
  createOrderWithTakeProfitAndStopLoss: [SYMBOL, 'limit', 'buy', 1, 1, 2, 1],
  createStopLimitOrder: [SYMBOL, 'buy', 1, 1, 1],
  createStopMarketOrder: [SYMBOL, 'buy', 1, 1],
  createTrailingAmountOrder: [SYMBOL, 'limit', 'buy', 1, 1, 1, 1],
  createTrailingPercentOrder: [SYMBOL, 'limit', 'buy', 1, 1, 1, 1],
  createStopLossOrder: [SYMBOL, 'limit', 'buy', 1, 1, 1],
  createStopOrder: [SYMBOL, 'limit', 'buy', 1, 1, 1],
  createTakeProfitOrder: [SYMBOL, 'limit', 'buy', 1, 1, 1],
  createTriggerOrder: [SYMBOL, 'limit', 'buy', 1, 1, 1],
  editOrder: ['1', SYMBOL, 'limit', 'buy', 1, 1],
  editOrderWithClientOrderId: ['mine', SYMBOL, 'limit', 'buy', 1, 1],
  cancelOrders: [['1'], SYMBOL],
  cancelOrdersWithClientOrderIds: [['mine'], SYMBOL],
  createOrders: [[]],
  setLeverage: [5, SYMBOL],
  setMarginMode: ['isolated', SYMBOL],
  setPositionMode: [false, SYMBOL],
  transfer: [CODE, 1, 'a', 'b'],
  withdraw: [CODE, 1, 'somewhere'],
  fetchCrossBorrowRate: [CODE],
  fetchDepositAddress: [CODE],
  fetchDepositWithdrawFee: [CODE],
  fetchTransactionFee: [CODE],
};

/** The arguments of an unclaimed method; its socket variant takes the same. */
export function argumentsFor(method: string): readonly unknown[] {
  return SPECIAL[method.replace(/Ws$/, '')] ?? [SYMBOL];
}

/** The problems of an unclaimed method's refusal. Counts requests and sockets instead of sending them. */
export async function refusalProblems(method: string, of: Exchange): Promise<readonly string[]> {
  const exchange: Exchange = Reflect.construct(of.constructor, [{ apiKey: 'unasked' }]);
  // No unclaimed method needs a market, and an exchange without markets refuses them too.
  if (of.markets !== undefined) exchange.setMarkets(of.markets);
  const call = Reflect.get(exchange, method);
  if (typeof call !== 'function') return ['not claimed, and there is nothing to call'];
  let requests = 0;
  const notToBeSent = () => {
    requests += 1;
    throw new ccxt.NetworkError('not to be sent');
  };
  exchange.fetch = async () => notToBeSent();
  exchange.client = notToBeSent;
  const error = await Promise.resolve()
    .then(() => Reflect.apply(call, exchange, argumentsFor(method)))
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (error === undefined) return ['not claimed, but it works'];
  if (!(error instanceof ccxt.NotSupported)) return [`not claimed, but: ${describe(error)}`];
  return requests === 0 ? [] : ['not claimed, and refused after a request'];
}
