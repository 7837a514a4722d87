/** The input and output of the process that runs the modern suite. */
import type { Checkout } from './checkout.ts';

export const ORDER_VARIABLE = 'OPENPERP_MODERN_SUITE';

/** Parts in JavaScript, run by `child.ts`. */
export const SCRIPT_PARTS = ['rest', 'funded', 'sockets', 'static'] as const;
/** Parts in Python, run by `python_child.py`. */
export const PYTHON_PARTS = ['pythonSync', 'pythonSyncFunded', 'pythonAsync', 'pythonAsyncFunded', 'pythonSockets'] as const;
export type Part = (typeof SCRIPT_PARTS)[number];
export type PythonPart = (typeof PYTHON_PARTS)[number];

/** The assignment of a part. */
export interface Assignment {
  /** Constructor settings of the exchange, in addition to the suite's. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly symbol: string;
  /** The market with the most frequent funding. */
  readonly funded: string;
  readonly code: string;
  /** The reasons why methods cannot be checked with this account and venue, by method. */
  readonly lacks: Readonly<Record<string, string>>;
}

export interface SuiteOrder extends Assignment {
  readonly checkout: Checkout;
  readonly part: Part;
  /** The output file. */
  readonly answerPath: string;
}

export interface PythonOrder extends Assignment {
  /** The transpiled class, see `transpiled.ts`. */
  readonly tree: string;
  readonly part: PythonPart;
  /** Faults of tests that cannot be fixed, by method. */
  readonly unmended: Readonly<Record<string, string>>;
  readonly answerPath: string;
}

export interface SuiteResponse {
  /** Whether the suite ran to its end. */
  readonly hasEnded: boolean;
  /** The problems by method. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
  readonly skipped: Readonly<Record<string, string>>;
  readonly shimmed: Readonly<Record<string, readonly string[]>>;
}
