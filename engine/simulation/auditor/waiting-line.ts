/** A waiting order as a line of text, to compare the auditor's with the venue's. */

interface WaitingFields {
  readonly order: number;
  readonly account: number;
  readonly market: number;
  readonly side: string;
  readonly triggerPriceAtoms: number;
  readonly quantityAtoms: number;
  readonly entry: number;
  readonly linked: number;
  readonly position: number;
  /** The place among all orders whose price was reached; -1 if it was not. */
  readonly duePlace: number;
}

export function waitingLine(it: WaitingFields): string {
  const { order, account, market, side, triggerPriceAtoms, quantityAtoms, entry, linked, position, duePlace } = it;
  return (
    `waiting order ${order} of ${account}/${market} ${side} ${quantityAtoms} at ${triggerPriceAtoms} ` +
    `entry ${entry} linked ${linked} position ${position} due ${duePlace}`
  );
}
