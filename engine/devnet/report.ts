/** Logs refusals of the market makers: each code once, so that a venue in trouble does not flood the terminal. */
import type { ClientRefusal } from './venue-client.ts';

export type Report = (refusal: ClientRefusal) => void;

export function reportOnce(name: string, log: (line: string) => void): Report {
  const reported = new Set<string>();
  return ({ code, message }) => {
    if (reported.has(code)) return;
    reported.add(code);
    log(`market makers: ${name}: ${code}: ${message} (logged once)`);
  };
}
