/**
 * What stands in the examples of requests for what only the reader has: its account, an order of its own, a reference that was never
 * used. Sent as it stands, each is refused with a message that says what is asked for; the explorer puts in those that are to be new.
 */

export const PLACEHOLDERS = {
  accountId: 'your-account-id',
  orderId: 'your-order-id',
  clientOrderId: 'your-client-order-id',
  newClientOrderId: 'new-client-order-id',
  // As long as a ticket is.
  ticket: 'your-realtime-ticket'.padEnd(43, '-'),
  idempotencyKey: 'new-idempotency-key',
} as const;

/** Of a recorded request, by the names of its fields. A clientOrderId beside a side is that of an order to be placed. */
export function withPlaceholders(value: unknown, isInPlacement = false): unknown {
  if (Array.isArray(value)) return value.map((entry) => withPlaceholders(entry, isInPlacement));
  if (typeof value !== 'object' || value === null) return value;
  const isPlacement = isInPlacement || 'side' in value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, placeholderOf(name, field, isPlacement)]));
}

function placeholderOf(name: string, field: unknown, isPlacement: boolean): unknown {
  switch (name) {
    case 'clientOrderId':
      return isPlacement ? PLACEHOLDERS.newClientOrderId : PLACEHOLDERS.clientOrderId;
    case 'accountId':
    case 'orderId':
    case 'ticket':
      return PLACEHOLDERS[name];
    case 'ids':
    case 'orderIds':
      return [PLACEHOLDERS.orderId];
    default:
      return withPlaceholders(field, isPlacement);
  }
}
