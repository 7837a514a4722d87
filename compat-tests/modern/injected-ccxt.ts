/** What the tests of a checkout import as ccxt: the installed one, in which the class is one of its exchanges. */
import ccxt from 'ccxt';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { ORDER_VARIABLE, type SuiteOrder } from './suite-order.ts';

const { settings } = JSON.parse(process.env[ORDER_VARIABLE] ?? '{}') as SuiteOrder;

/** The runner makes the exchange itself, and knows nothing of where the venue is. */
class Openperp extends OpenPerp {
  constructor(given: object = {}) {
    super({ ...given, ...settings });
  }
}

class OpenperpPro extends OpenPerpPro {
  constructor(given: object = {}) {
    super({ ...given, ...settings });
  }
}

Reflect.set(ccxt, 'openperp', Openperp);
Reflect.set(ccxt.pro, 'openperp', OpenperpPro);

export * from 'ccxt';
export default ccxt;
