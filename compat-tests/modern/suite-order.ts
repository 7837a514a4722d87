/** What the process that runs the modern suite is told, and what it tells back. */
import type { Checkout } from './checkout.ts';

export const ORDER_VARIABLE = 'OPENPERP_MODERN_SUITE';

/** Of ccxt's JavaScript: run by `child.ts`. */
export const SCRIPT_PARTS = ['rest', 'funded', 'sockets', 'static'] as const;
/** Of its Python: run by `python_child.py`. */
export const PYTHON_PARTS = ['pythonSync', 'pythonSyncFunded', 'pythonAsync', 'pythonAsyncFunded', 'pythonSockets'] as const;
export type Part = (typeof SCRIPT_PARTS)[number];
export type PythonPart = (typeof PYTHON_PARTS)[number];

/** What a part is to be run with. */
export interface Assignment {
  /** What the exchange is made with beside what the suite gives it. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly symbol: string;
  /** The market that settles funding most often. */
  readonly funded: string;
  readonly code: string;
  /** By method: why this account on this venue has nothing to check it by. */
  readonly lacks: Readonly<Record<string, string>>;
}

export interface SuiteOrder extends Assignment {
  readonly checkout: Checkout;
  readonly part: Part;
  /** The file to write what was found into. */
  readonly answerPath: string;
}

export interface PythonOrder extends Assignment {
  /** Where the class is Python, see `transpiled.ts`. */
  readonly tree: string;
  readonly part: PythonPart;
  /** By method: a fault of its test that nothing mends. */
  readonly unmended: Readonly<Record<string, string>>;
  readonly answerPath: string;
}

export interface SuiteAnswer {
  /** Whether the suite came to its end. */
  readonly hasEnded: boolean;
  /** By method: what is wrong with it. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
  readonly skipped: Readonly<Record<string, string>>;
  readonly shimmed: Readonly<Record<string, readonly string[]>>;
}
