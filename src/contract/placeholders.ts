/**
 * Placeholders in example requests for values that only the reader has: its account, one of its orders, an unused reference. A request with
 * a placeholder is refused with a message that names the field. The explorer replaces the placeholders for new values.
 */

export const PLACEHOLDERS = {
  accountId: 'your-account-id',
  orderId: 'your-order-id',
  clientOrderId: 'your-client-order-id',
  newClientOrderId: 'new-client-order-id',
  // Has the length of a ticket.
  ticket: 'your-realtime-ticket'.padEnd(43, '-'),
  deviceCode: 'your-device-code',
  userCode: 'your-user-code',
  keyId: 'your-key-id',
  idempotencyKey: 'new-idempotency-key',
} as const;

/** Puts placeholders into a recorded request, by field name. A clientOrderId next to a side belongs to a new order. */
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
    case 'deviceCode':
    case 'userCode':
    case 'keyId':
      return PLACEHOLDERS[name];
    case 'ids':
    case 'orderIds':
      return [PLACEHOLDERS.orderId];
    default:
      return withPlaceholders(field, isPlacement);
  }
}
