/** Liveness, readiness, the contract itself. */
import { openApiDocument } from '#contract/openapi.ts';
import type { systemOperations } from '#contract/system.ts';
import { CONTRACT_VERSION } from '#contract/system.ts';
import type { Handlers } from '#http/binding.ts';
import type { HttpPorts } from '#http/ports.ts';

export function systemHandlers({ directory, clock, status }: HttpPorts): Pick<Handlers, keyof typeof systemOperations> {
  const document = openApiDocument();
  return {
    getHealth: () => ({ body: { status: 'ok', contractVersion: CONTRACT_VERSION, serverTimeEpochMs: clock.now() } }),

    getReady: () => {
      const { isReady, reasons } = status();
      const journalSequence = directory.sequence();
      if (isReady) return { body: { status: 'ready', reasons: [], journalSequence } };
      return { status: 503, body: { status: 'not_ready', reasons: [...reasons], journalSequence } };
    },

    getOpenApi: () => ({ body: document }),
  };
}
