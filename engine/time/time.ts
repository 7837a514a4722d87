/** The three ports of time together, as they are passed through the composition of a venue. */
import type { Clock, SteadyClock } from './clock.ts';
import type { Timers } from './timers.ts';

export interface Time {
  readonly clock: Clock;
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
}
