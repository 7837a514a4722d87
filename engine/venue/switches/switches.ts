/**
 * The state of the operator's switches: the environment that the journal is bound to, the status of the venue, and the capabilities
 * that were switched.
 */
import type { MarketStatus } from '#venue/market/specification.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import {
  type Capability,
  ENVIRONMENTS,
  type Environment,
  isOnByDefault,
  isProvider,
  UNBOUND_ENVIRONMENT,
} from './capabilities.ts';
import { marketLimitOf, VENUE_STATUSES, type VenueStatus } from './venue-status.ts';

export class Switches {
  /** `undefined` until the journal is bound to an environment. */
  #environment: Environment | undefined;
  #status: VenueStatus = 'open';
  readonly #switched = new Map<Capability, boolean>();
  /** Read for every order, so it is not computed each time. */
  #marketLimit: MarketStatus = 'open';

  get boundEnvironment(): Environment | undefined {
    return this.#environment;
  }

  get environment(): Environment {
    return this.#environment ?? UNBOUND_ENVIRONMENT;
  }

  get status(): VenueStatus {
    return this.#status;
  }

  /** Each market permits at most what a market of this status does. */
  get marketLimit(): MarketStatus {
    return this.#marketLimit;
  }

  /** The capabilities that were switched, also to their default, in the order of their first switch. */
  get switched(): ReadonlyMap<Capability, boolean> {
    return this.#switched;
  }

  /** The number of sign-in providers that were switched. */
  get switchedProviders(): number {
    return [...this.#switched.keys()].filter(isProvider).length;
  }

  /** Whether every switch is as in a new venue. */
  get isInitial(): boolean {
    return this.#environment === undefined && this.#status === 'open' && this.#switched.size === 0;
  }

  isOn(capability: Capability): boolean {
    return this.#switched.get(capability) ?? isOnByDefault(this.environment, capability);
  }

  bind(environment: Environment): void {
    this.#environment = environment;
    this.#updateLimit();
  }

  setStatus(status: VenueStatus): void {
    this.#status = status;
    this.#updateLimit();
  }

  set(capability: Capability, isOn: boolean): void {
    this.#switched.set(capability, isOn);
    this.#updateLimit();
  }

  #updateLimit(): void {
    this.#marketLimit = marketLimitOf(this.#status, this.isOn('trading'));
  }
}

/** Environments in a snapshot; the first stands for none. */
const BOUND = ['unbound', ...ENVIRONMENTS] as const;

interface SwitchedCapability {
  readonly capability: Capability;
  readonly isOn: boolean;
}

/** The layout in a snapshot. Reading changes `it`. */
export function switchesLayout(io: Cursor, it: Switches): void {
  const bound = io.oneOf(BOUND, it.boundEnvironment ?? 'unbound');
  const status = io.oneOf(VENUE_STATUSES, it.status);
  const switched = [...it.switched].map(([capability, isOn]) => ({ capability, isOn }));
  const read = io.list(switched, switchedLayout);
  if (bound !== 'unbound') it.bind(bound);
  it.setStatus(status);
  for (const { capability, isOn } of read) it.set(capability, isOn);
}

function switchedLayout(io: Cursor, it: SwitchedCapability): SwitchedCapability {
  return { capability: io.text(it.capability) as Capability, isOn: io.flag(it.isOn) };
}
