/** The operator's switches: binds the journal to an environment, sets the status of the venue, turns capabilities on and off. */
import type { CommandRules } from '#venue/command-rule.ts';
import { emitPendingWork } from '#venue/market/prices.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import {
  type Capability,
  ENVIRONMENTS,
  type Environment,
  isCapability,
  isProvider,
  MAX_SWITCHED_PROVIDERS,
} from './capabilities.ts';
import { VENUE_STATUSES, type VenueStatus } from './venue-status.ts';

/** Binds the journal to an environment, once and for good, before it has an account or a market. */
export interface BindEnvironment {
  readonly type: 'BindEnvironment';
  readonly environment: Environment;
}

export interface SetVenueStatus {
  readonly type: 'SetVenueStatus';
  readonly status: VenueStatus;
}

export interface SetCapability {
  readonly type: 'SetCapability';
  readonly capability: Capability;
  readonly isOn: boolean;
}

export type SwitchCommand = BindEnvironment | SetVenueStatus | SetCapability;

export const SWITCH_COMMANDS: CommandRules<SwitchCommand> = {
  BindEnvironment: {
    plan: planBinding,
    commit: commitBinding,
    layout: {
      tag: 23,
      fields: (io, it) => ({ type: 'BindEnvironment', environment: io.oneOf(ENVIRONMENTS, it.environment) }),
    },
  },
  SetVenueStatus: {
    plan: () => undefined,
    commit: commitStatus,
    layout: {
      tag: 24,
      fields: (io, it) => ({ type: 'SetVenueStatus', status: io.oneOf(VENUE_STATUSES, it.status) }),
    },
  },
  SetCapability: {
    plan: planCapability,
    commit: commitCapability,
    layout: {
      tag: 25,
      fields: (io, it) => ({
        type: 'SetCapability',
        capability: io.text(it.capability) as Capability,
        isOn: io.flag(it.isOn),
      }),
    },
  },
};

/** A journal with an account or a market that is bound to no environment counts as bound to `UNBOUND_ENVIRONMENT`. */
export function planBinding({ state }: Turn): Refusal | undefined {
  const isUsed = state.accounts.length > 1 || state.markets.length > 1;
  return isUsed || state.switches.boundEnvironment !== undefined ? { code: 'environment_bound' } : undefined;
}

export function commitBinding(turn: Turn, { environment }: BindEnvironment): void {
  turn.state.switches.bind(environment);
  turn.events.emit({ type: 'EnvironmentBound', environment });
}

/** The current status is permitted too: in an emergency the second of two operators must not be refused. */
export function commitStatus(turn: Turn, { status }: SetVenueStatus): void {
  const before = turn.state.switches.marketLimit;
  turn.state.switches.setStatus(status);
  turn.events.emit({ type: 'VenueStatusChanged', status });
  if (turn.state.switches.marketLimit !== before) changeMarkets(turn);
}

export function planCapability({ state }: Turn, { capability }: SetCapability): Refusal | undefined {
  if (!isCapability(capability)) return { code: 'capability_invalid' };
  const { switches } = state;
  const isNewProvider = isProvider(capability) && !switches.switched.has(capability);
  const isFull = isNewProvider && switches.switchedProviders >= MAX_SWITCHED_PROVIDERS;
  return isFull ? { code: 'capability_invalid', bound: MAX_SWITCHED_PROVIDERS } : undefined;
}

export function commitCapability(turn: Turn, { capability, isOn }: SetCapability): void {
  const before = turn.state.switches.marketLimit;
  turn.state.switches.set(capability, isOn);
  turn.events.emit({ type: 'CapabilitySet', capability, isOn });
  if (turn.state.switches.marketLimit !== before) changeMarkets(turn);
}

/** As after a change of each market's status: premiums before it do not count, and prevented work is announced. */
function changeMarkets(turn: Turn): void {
  for (const market of turn.state.markets) {
    if (market === undefined) continue;
    market.funding.interrupt();
    emitPendingWork(turn, market);
  }
}
