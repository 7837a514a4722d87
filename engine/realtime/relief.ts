/**
 * Whom the service lets go of when it is too far behind: sockets whose frames take more than their share of its time first, then those without
 * a ticket from the networks that took the most of it, then all without one. Accounts come last.
 */
import type { Connection } from './connection.ts';

/** At least one, if any is open. */
export function nextToRelieve(connections: Iterable<Connection>): readonly Connection[] {
  const open = [...connections].filter(({ isOpen }) => isOpen);
  const strangers = open.filter(({ access }) => access === undefined);
  const heavy = open.filter(({ isHeavy }) => isHeavy);
  const groups = [heavy.filter(({ access }) => access === undefined), heavy, greediest(strangers), strangers];
  return groups.find(({ length }) => length > 0) ?? open;
}

/** Of the networks whose frames together took half of the time that frames of all of them took lately. */
function greediest(strangers: readonly Connection[]): readonly Connection[] {
  const networks = [...new Set(strangers.map(({ network }) => network))].sort((a, b) => b.frames.takenMs - a.frames.takenMs);
  const half = networks.reduce((sum, { frames }) => sum + frames.takenMs, 0) / 2;
  const chosen = new Set<Connection['network']>();
  let takenMs = 0;
  for (const network of networks) {
    if (takenMs >= half) break;
    chosen.add(network);
    takenMs += network.frames.takenMs;
  }
  return strangers.filter(({ network }) => chosen.has(network));
}
