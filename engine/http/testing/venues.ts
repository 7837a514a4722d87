/** The venues for tests that must pass in one thread and in several. */
import { startInThreads } from '#app/testing/venue-in-threads.ts';
import type { DrivenVenue } from './driven-venue.ts';
import { UNLIMITED } from './stage.ts';
import { startVenue } from './venue-under-test.ts';

export const VENUES: readonly [where: string, start: () => Promise<DrivenVenue>][] = [
  ['in one thread', () => startVenue(UNLIMITED)],
  ['in its threads', startInThreads],
];
