/** The switches as the coordinator reads them, from the state of a venue. */
import type { MoneySwitches } from '#settlement/coordinator/coordinator.ts';
import type { Capability } from '#venue/command.ts';
import type { Switches } from '#venue/switches/switches.ts';

const READ: readonly Capability[] = ['deposits', 'withdrawals', 'transfers'];

export function moneySwitches(switches: Switches): MoneySwitches {
  const capabilities = Object.fromEntries(READ.map((capability) => [capability, switches.isOn(capability)]));
  return { status: switches.status, capabilities };
}
