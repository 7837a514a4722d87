/** Every refusal has the name of a ccxt error, and the adapter class throws that error. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { epochMs } from '#units/money.ts';
import { ERROR_CODES } from './errors.ts';
import { Refused, renderEnvelope } from './refused.ts';
import { REFUSED_BEFORE_ROUTING, UNIFIED_ERROR_NAMES, unifiedError, unifiedErrorOf } from './unified-errors.ts';

const { exact } = (new OpenPerp() as unknown as { exceptions: { exact: Record<string, { name: string }> } }).exceptions;

describe.each(ERROR_CODES)('%s', (code) => {
  const name = UNIFIED_ERROR_NAMES[code];

  test('has the name of a ccxt error, which the adapter class throws', () => {
    expect((ccxt as unknown as Record<string, { prototype: object }>)[name]?.prototype).toBeInstanceOf(ccxt.BaseError);
    expect(exact[code]?.name).toBe(name);
  });

  if (REFUSED_BEFORE_ROUTING.includes(code)) return;
  test('has the shape of the library', () => {
    const envelope = renderEnvelope(new Refused(code, 'A message.'), 'id', epochMs(1_700_000_000_123));
    expect(unifiedErrorOf(envelope)).toEqual({
      name,
      message: 'A message.',
      code,
      retryable: envelope.retryable,
      timestamp: 1_700_000_000_123,
      datetime: '2023-11-14T22:13:20.123Z',
      info: envelope,
    });
    expect(unifiedError.parse(unifiedErrorOf(envelope))).toBeDefined();
  });
});
