/** Refuses what the status of the venue or a capability that is off does not permit. All these refusals may pass. */
import type { Refusal } from '#venue/refusal.ts';
import type { Capability } from './capabilities.ts';
import type { Switches } from './switches.ts';
import { type VenueActivity, venuePermits } from './venue-status.ts';

/** Returns `undefined` if the venue permits the activity, which needs the capability. */
export function checkIntake(switches: Switches, activity: VenueActivity, capability: Capability): Refusal | undefined {
  const { status } = switches;
  if (!venuePermits(status, activity)) return { code: status === 'halted' ? 'venue_halted' : 'intake_paused' };
  return switches.isOn(capability) ? undefined : { code: 'capability_unavailable' };
}
