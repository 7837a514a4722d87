/** Liveness and readiness. */
import { CONTRACT_VERSION } from '#contract/system.ts';
import type { Handlers } from '#http/binding.ts';
import type { HttpPorts } from '#http/ports.ts';

export function systemHandlers({ directory, clock, status }: HttpPorts): Pick<Handlers, 'getHealth' | 'getReady'> {
  return {
    getHealth: () => ({ body: { status: 'ok', contractVersion: CONTRACT_VERSION, serverTimeEpochMs: clock.now() } }),

    getReady: async () => {
      const { isReady, reasons, degraded = [] } = await status();
      const told = { reasons: [...reasons], degraded: [...degraded], journalSequence: directory.sequence() };
      return isReady ? { body: { status: 'ready', ...told } } : { status: 503, body: { status: 'not_ready', ...told } };
    },
  };
}
