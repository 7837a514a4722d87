/** The refusal of a subscription that cannot be replayed: the reason, with current figures, and what to do instead. */
import type { ErrorFrame } from '#contract/realtime.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNELS } from '#contract/realtime-channels.ts';
import { refused } from '#contract/realtime-request.ts';
import { addressOf, type Subject } from './topic.ts';

type Replay = { readonly fromSequence: number } & (
  | { /** The lowest sequence after which every record is in the replay buffer. */ readonly oldestSequence: number }
  | { /** The bytes that the replay exceeds. */ readonly maxReplayBytes: number }
);

export function resyncRequired(subject: Subject, replay: Replay, id: string | undefined): ErrorFrame {
  const { channel } = subject;
  const { snapshotSource, historySource } = CHANNELS[channel] as Channel;
  return refused('resync_required', `${rejectionReason(replay)} ${whatToDo(subject)}`, {
    channel,
    id,
    ...('oldestSequence' in replay
      ? { resyncCause: 'not_kept', oldestSequence: replay.oldestSequence }
      : { resyncCause: 'too_much', maxReplayBytes: replay.maxReplayBytes }),
    ...(snapshotSource !== undefined && { snapshotSource }),
    ...(historySource !== undefined && { historySource }),
  });
}

function rejectionReason(replay: Replay): string {
  const { fromSequence } = replay;
  if ('oldestSequence' in replay)
    return `The updates after ${fromSequence} are no longer in the replay buffer: the lowest fromSequence now is ${replay.oldestSequence}.`;
  return `The updates after ${fromSequence} are more than the ${replay.maxReplayBytes} bytes of a replay.`;
}

function whatToDo(subject: Subject): string {
  const { snapshotSource, snapshotSequence, historySource } = CHANNELS[subject.channel] as Channel;
  if (snapshotSource !== undefined)
    return `Read ${describeChannel(snapshotSource, subject)}, and subscribe from its ${snapshotSequence}.`;
  const missed = historySource === undefined ? '' : ` The missed updates are in ${describeChannel(historySource, subject)}.`;
  return `Subscribe without fromSequence.${missed}`;
}

/** Fills in the ids of the subject. */
function describeChannel(source: string, subject: Subject): string {
  return Object.entries(addressOf(subject)).reduce((text, [name, id]) => text.replace(`{${name}}`, id), source);
}
