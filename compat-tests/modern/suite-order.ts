/** What the process that runs the modern suite is told, and what it tells back. */
import type { Checkout } from './checkout.ts';

export const ORDER_VARIABLE = 'OPENPERP_MODERN_SUITE';

export type Part = 'rest' | 'funded' | 'sockets' | 'static';

export interface SuiteOrder {
  readonly checkout: Checkout;
  readonly part: Part;
  /** What the exchange is made with beside what the suite gives it. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly symbol: string;
  /** The market that settles funding most often. */
  readonly funded: string;
  readonly code: string;
  /** By method: why this account on this venue has nothing to check it by. */
  readonly lacks: Readonly<Record<string, string>>;
  /** The file to write what was found into. */
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
