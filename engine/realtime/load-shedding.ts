/**
 * Load shedding: which connections to close if the service is too far behind. First those whose frames take more than their fair
 * share of time, then those without a ticket from the networks that took the most, then all without one, and accounts last.
 */
import type { Connection } from './connection.ts';

/** At least one, if any is open. */
export function nextToShed(connections: Iterable<Connection>): readonly Connection[] {
  const open = [...connections].filter(({ isOpen }) => isOpen);
  const anonymous = open.filter(({ access }) => access === undefined);
  const expensive = open.filter(({ isExpensive }) => isExpensive);
  const groups = [expensive.filter(({ access }) => access === undefined), expensive, busiestNetworks(anonymous), anonymous];
  return groups.find(({ length }) => length > 0) ?? open;
}

/** Connections of those networks whose frames together took half of the time that all took recently. */
function busiestNetworks(anonymous: readonly Connection[]): readonly Connection[] {
  const networks = [...new Set(anonymous.map(({ network }) => network))].sort((a, b) => b.frames.takenMs - a.frames.takenMs);
  const half = networks.reduce((sum, { frames }) => sum + frames.takenMs, 0) / 2;
  const chosen = new Set<Connection['network']>();
  let takenMs = 0;
  for (const network of networks) {
    if (takenMs >= half) break;
    chosen.add(network);
    takenMs += network.frames.takenMs;
  }
  return anonymous.filter(({ network }) => chosen.has(network));
}
