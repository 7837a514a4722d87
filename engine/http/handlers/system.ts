/** Liveness and readiness. */
import type { Outcome } from '#contract/operation.ts';
import { CONTRACT_VERSION, type getHealth } from '#contract/system.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Clock } from '#time/clock.ts';
import { hasPasskeySite } from './passkey-site.ts';

export function systemHandlers(ports: HttpPorts): Pick<Handlers, 'getHealth' | 'getReady'> {
  const { directory, clock, status } = ports;
  return {
    getHealth: () => health(clock),

    getReady: async () => {
      const { isReady, reasons, degraded = [] } = await status();
      const { environment, status: venueStatus, capabilities } = directory.switches();
      const readiness = {
        reasons: [...reasons],
        degraded: [...degraded],
        environment,
        venueStatus,
        // The switch alone opens no registration.
        capabilities: hasPasskeySite(ports) ? { ...capabilities } : { ...capabilities, registration: false },
        journalSequence: directory.sequence(),
      };
      return isReady ? { body: { status: 'ready', ...readiness } } : { status: 503, body: { status: 'not_ready', ...readiness } };
    },
  };
}

export function health(clock: Clock): Outcome<typeof getHealth> {
  return { body: { status: 'ok', contractVersion: CONTRACT_VERSION, serverTimeEpochMs: clock.now() } };
}
