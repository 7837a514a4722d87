/** Formats figures for people. */
import type { Spread } from './race.ts';

/** `1,234,567`; one decimal below a hundred. */
export function thousands(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : 1;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** The median, with the lowest and highest of all rounds. */
export function inRange({ median, lowest, highest }: Spread, render: (value: number) => string): string {
  return `${render(median)} (${render(lowest)} – ${render(highest)})`;
}
