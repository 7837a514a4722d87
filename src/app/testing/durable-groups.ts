/** Committed groups for followers of the journal. */

import { systemTime } from '#time/system-time.ts';
import type { Sequence } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import { CHAIN_START, GroupBuilder } from '#writer/journal/group.ts';
import { DurableGroup } from '#writer/port/durable-group.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';

export const OPEN_ACCOUNT: Command = { type: 'OpenAccount', label: 'a', partyId: '', digestSeed: 1 };

/** A group of one command without events. */
export function groupAt(sequence: number, command = OPEN_ACCOUNT): CommittedGroup {
  const builder = new GroupBuilder();
  builder.begin(1, sequence as Sequence, CHAIN_START);
  builder.openRecord(
    { sequence: sequence as Sequence, epochMs: systemTime.clock.now(), rulesVersion: 1, key: undefined },
    command,
  );
  builder.closeRecord();
  builder.seal();
  return new DurableGroup(builder.sealed);
}
