/** Liveness, readiness, the contract itself. */
import { type AsyncApiDocument, asyncApiDocument } from '#contract/asyncapi.ts';
import { type OpenApiDocument, openApiDocument } from '#contract/openapi.ts';
import type { Rendered } from '#contract/operation.ts';
import type { systemOperations } from '#contract/system.ts';
import { CONTRACT_VERSION } from '#contract/system.ts';
import type { Handlers } from '#http/binding.ts';
import type { HttpPorts } from '#http/ports.ts';

export function systemHandlers({ directory, clock, status, limits }: HttpPorts): Pick<Handlers, keyof typeof systemOperations> {
  const document = JSON.stringify(openApiDocument(limits)) as Rendered<OpenApiDocument>;
  const realtimeDocument = JSON.stringify(asyncApiDocument()) as Rendered<AsyncApiDocument>;
  return {
    getHealth: () => ({ body: { status: 'ok', contractVersion: CONTRACT_VERSION, serverTimeEpochMs: clock.now() } }),

    getReady: async () => {
      const { isReady, reasons, degraded = [] } = await status();
      const told = { reasons: [...reasons], degraded: [...degraded], journalSequence: directory.sequence() };
      return isReady ? { body: { status: 'ready', ...told } } : { status: 503, body: { status: 'not_ready', ...told } };
    },

    getOpenApi: () => ({ body: document }),

    getAsyncApi: () => ({ body: realtimeDocument }),
  };
}
