/** Whether the terms with which an order was accepted are those that were sent. */
import type { OrderTerms } from '#venue/command.ts';
import type { OrderAccepted } from '#venue/event.ts';
import { fail } from './audit-failed.ts';

/** An order without a price is accepted with one; by notional, with a quantity too. */
export function isAcceptedAs(sent: OrderTerms, taken: OrderAccepted['terms']): boolean {
  switch (sent.kind) {
    case 'limit':
      return (
        taken.kind === 'limit' &&
        taken.priceAtoms === sent.priceAtoms &&
        taken.quantityAtoms === sent.quantityAtoms &&
        taken.postOnly === sent.postOnly &&
        taken.notionalAtoms === sent.notionalAtoms
      );
    case 'market':
      return taken.kind === 'market' && taken.quantityAtoms === sent.quantityAtoms;
    case 'market_notional':
      return taken.kind === 'market_notional' && taken.notionalAtoms === sent.notionalAtoms;
    case 'band_limit':
      return (
        taken.kind === 'limit' &&
        !taken.postOnly &&
        taken.quantityAtoms === sent.quantityAtoms &&
        taken.notionalAtoms === undefined
      );
    case 'band_notional':
      return taken.kind === 'limit' && !taken.postOnly && taken.notionalAtoms === sent.notionalAtoms;
    default: {
      const unknown: never = sent;
      return fail('order', `unknown terms: ${JSON.stringify(unknown)}`);
    }
  }
}
