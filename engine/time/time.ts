/** The three ports of time together, as whoever composes a venue hands them on. */
import type { Clock, SteadyClock } from './clock.ts';
import type { Timers } from './timers.ts';

export interface Time {
  readonly clock: Clock;
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
}
