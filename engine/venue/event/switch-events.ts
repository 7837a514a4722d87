/** Events of the operator's switches. */
import type { EventLayouts } from '#venue/record/layout.ts';
import { type Capability, ENVIRONMENTS, type Environment } from '#venue/switches/capabilities.ts';
import { VENUE_STATUSES, type VenueStatus } from '#venue/switches/venue-status.ts';

export interface EnvironmentBound {
  readonly type: 'EnvironmentBound';
  readonly environment: Environment;
}

export interface VenueStatusChanged {
  readonly type: 'VenueStatusChanged';
  readonly status: VenueStatus;
}

export interface CapabilitySet {
  readonly type: 'CapabilitySet';
  readonly capability: Capability;
  readonly isOn: boolean;
}

export type SwitchEvent = EnvironmentBound | VenueStatusChanged | CapabilitySet;

export const SWITCH_EVENTS: EventLayouts<SwitchEvent> = {
  EnvironmentBound: {
    tag: 29,
    fields: (io, it) => ({ type: 'EnvironmentBound', environment: io.oneOf(ENVIRONMENTS, it.environment) }),
  },
  VenueStatusChanged: {
    tag: 30,
    fields: (io, it) => ({ type: 'VenueStatusChanged', status: io.oneOf(VENUE_STATUSES, it.status) }),
  },
  CapabilitySet: {
    tag: 31,
    fields: (io, it) => ({
      type: 'CapabilitySet',
      capability: io.text(it.capability) as Capability,
      isOn: io.flag(it.isOn),
    }),
  },
};
