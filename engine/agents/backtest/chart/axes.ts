/** Round values for the axes of a chart. Only operations that every machine rounds the same way, so that charts have the same bytes. */

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const TIME_STEPS_MS = [
  ...[1, 5, 15, 30, 60, 120, 240, 360, 720].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 728, 1_820].map((days) => days * DAY_MS),
];

/** Multiples of 1, 2 or 5 times a power of ten, at most `max` + 1 of them. Both bounds are integers. */
export function roundValues(lowest: number, highest: number, max: number): readonly number[] {
  let step = 1;
  for (let factor = 0; (highest - lowest) / step > max; factor += 1) step *= factor % 3 === 1 ? 2.5 : 2;
  return multiples(lowest, highest, step);
}

/** Round times, at most `max` + 1 of them while less than 30 years are shown. */
export function roundTimes(first: number, last: number, max: number): readonly number[] {
  const step = TIME_STEPS_MS.find((stepMs) => (last - first) / stepMs <= max) ?? TIME_STEPS_MS.at(-1)!;
  return multiples(first, last, step);
}

/** `05-19 12:00` within days, the day if all times are at midnight. */
export function timeLabel(isoTime: string, times: readonly number[]): string {
  return times.every((time) => time % DAY_MS === 0) ? isoTime.slice(0, 10) : isoTime.slice(5, 16).replace('T', ' ');
}

function multiples(lowest: number, highest: number, step: number): readonly number[] {
  const first = Math.ceil(lowest / step);
  return Array.from({ length: Math.max(0, Math.floor(highest / step) - first + 1) }, (_, index) => (first + index) * step);
}
