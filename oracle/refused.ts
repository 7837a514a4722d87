/** A rule refuses a command: whatever it has changed so far is discarded with the copy of the world. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: string;
  /** The bound that the request breaks, or the amount that it lacks; 0 without one. */
  readonly bound: bigint;
  /** The order that the refusal is about; 0 without one. */
  readonly order: number;

  constructor(code: string, bound = 0n, order = 0) {
    super(`${code}, bound ${bound}, order ${order}`);
    this.code = code;
    this.bound = bound;
    this.order = order;
  }
}

export function refuseIf(isRefused: boolean, code: string, bound = 0n, order = 0): void {
  if (isRefused) throw new Refused(code, bound, order);
}
