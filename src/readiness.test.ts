import { expect, test } from 'vitest';
import { HALT_REASONS, type Halt } from '#writer/halt.ts';
import { Readiness } from './readiness.ts';

test('clients hear what is the case, and the operator what caused it', () => {
  let halt: Halt | undefined;
  const readiness = new Readiness({
    status: () => ({ halt }) as ReturnType<ConstructorParameters<typeof Readiness>[0]['status']>,
  });
  const starting = { isReady: false, reasons: ['venue_starting: markets are being listed and priced'] };
  expect([readiness.status(), readiness.report()]).toEqual([starting, starting]);
  readiness.started();
  expect([readiness.status(), readiness.report()]).toEqual(Array(2).fill({ isReady: true, reasons: [] }));
  halt = { reason: HALT_REASONS.journal_unwritable, detail: "ENOSPC: '/home/someone/journal'", cause: new Error('x') };
  expect(readiness.status()).toEqual({ isReady: false, reasons: ['venue_halted: the journal cannot be written'] });
  expect(readiness.report()).toEqual({
    isReady: false,
    reasons: ["venue_halted: the journal cannot be written: ENOSPC: '/home/someone/journal'"],
  });
});
