/** The ccxt that the tests of a checkout import: the installed one, with the class as one of its exchanges. */
import ccxt from 'ccxt';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { ORDER_VARIABLE, type SuiteOrder } from './suite-order.ts';

const { settings } = JSON.parse(process.env[ORDER_VARIABLE] ?? '{}') as SuiteOrder;

/** The runner constructs the exchange itself, without the venue's URL. */
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
