/**
 * Whether the venue takes orders: from when its markets are listed and priced until its writer has stopped for good.
 * Clients hear what is the case; what caused it, the operator's log and status tell.
 */
import type { VenueStatus } from '#http/ports.ts';
import type { Writer } from '#writer/writer.ts';

export class Readiness {
  readonly #writer: Pick<Writer, 'status'>;
  #isStarting = true;

  constructor(writer: Pick<Writer, 'status'>) {
    this.#writer = writer;
  }

  /** Markets are listed and priced. */
  started(): void {
    this.#isStarting = false;
  }

  /** For clients. */
  status(): VenueStatus {
    const { halt } = this.#writer.status();
    const reasons = this.#reasons(halt === undefined ? [] : [`venue_halted: ${halt.reason}`]);
    return { isReady: reasons.length === 0, reasons };
  }

  /** For the operator, with what caused it. */
  report(): VenueStatus {
    const { halt } = this.#writer.status();
    const reasons = this.#reasons(halt === undefined ? [] : [`venue_halted: ${halt.reason}: ${halt.detail}`]);
    return { isReady: reasons.length === 0, reasons };
  }

  #reasons(halted: readonly string[]): readonly string[] {
    return this.#isStarting ? [...halted, 'venue_starting: markets are being listed and priced'] : halted;
  }
}
