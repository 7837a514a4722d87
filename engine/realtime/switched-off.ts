/** The error frame of a channel that the operator has switched off: it refuses a subscription, and ends a running one. */
import type { ErrorFrame } from '#contract/realtime.ts';
import type { ServedChannel } from '#contract/realtime-channels.ts';
import { refused } from '#contract/realtime-request.ts';

const MESSAGE =
  'The operator has switched the affiliate program off. Subscribe again when GET /v1/affiliate/availability says that it is available.';

/** `id` is that of the refused frame; a running subscription ends without one. */
export function switchedOff(channel: ServedChannel, id?: string): ErrorFrame {
  return refused('source_unavailable', MESSAGE, { channel, id, retryable: true });
}
