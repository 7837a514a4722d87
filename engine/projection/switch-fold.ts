/** Folds events of the operator's switches into rows, and reads the switches back from them. */
import type { CapabilitySet, EnvironmentBound, VenueStatusChanged } from '#venue/event.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import type { Capability, Environment } from '#venue/switches/capabilities.ts';
import { Switches } from '#venue/switches/switches.ts';
import type { VenueStatus } from '#venue/switches/venue-status.ts';
import type { Moment, SwitchRow } from './rows.ts';
import type { Rows } from './table.ts';

export type SwitchedEvent = EnvironmentBound | VenueStatusChanged | CapabilitySet;

export function switchRow(event: SwitchedEvent, { sequence }: Pick<Moment, 'sequence'>): SwitchRow {
  switch (event.type) {
    case 'EnvironmentBound':
      return { name: 'environment', value: event.environment, sequence };
    case 'VenueStatusChanged':
      return { name: 'status', value: event.status, sequence };
    case 'CapabilitySet':
      return { name: event.capability, value: event.isOn ? 'on' : 'off', sequence };
    default:
      return event satisfies never;
  }
}

/** Applies a row to the switches. */
export function applySwitch(switches: Switches, { name, value }: SwitchRow): void {
  if (name === 'environment') switches.bind(value as Environment);
  else if (name === 'status') switches.setStatus(value as VenueStatus);
  else switches.set(name as Capability, value === 'on');
}

/** The limit of the venue for the status of its markets. Only these three switches have a part in it. */
export function marketLimitIn(rows: Rows<SwitchRow>): MarketStatus {
  return switchesIn(rows, ['environment', 'status', 'trading']).marketLimit;
}

export function isOnIn(rows: Pick<Rows<SwitchRow>, 'find'>, capability: Capability): boolean {
  return switchesIn(rows, ['environment', capability]).isOn(capability);
}

function switchesIn(rows: Pick<Rows<SwitchRow>, 'find'>, names: readonly string[]): Switches {
  const switches = new Switches();
  for (const name of names) {
    const row = rows.find(name);
    if (row !== undefined) applySwitch(switches, row);
  }
  return switches;
}
