/** Every refusal has the name of an error that the library throws, and the class throws the same one. */
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

  test('has the name of an error of ccxt, which the class throws for it', () => {
    expect((ccxt as unknown as Record<string, { prototype: object }>)[name]?.prototype).toBeInstanceOf(ccxt.BaseError);
    expect(exact[code]?.name).toBe(name);
  });

  if (REFUSED_BEFORE_ROUTING.includes(code)) return;
  test('is told in the library’s shape', () => {
    const envelope = renderEnvelope(new Refused(code, 'Said so.'), 'id', epochMs(1_700_000_000_123));
    expect(unifiedErrorOf(envelope)).toEqual({
      name,
      message: 'Said so.',
      code,
      retryable: envelope.retryable,
      timestamp: 1_700_000_000_123,
      datetime: '2023-11-14T22:13:20.123Z',
      info: envelope,
    });
    expect(unifiedError.parse(unifiedErrorOf(envelope))).toBeDefined();
  });
});
