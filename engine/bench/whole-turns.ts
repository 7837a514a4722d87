/** Whole turns of the venue compared with a book from npm that only matches, on the same orders. */
import { VENUE } from './book-contenders.ts';
import type { Assignment, BenchOptions } from './contender.ts';
import { TURNS_PROFILE } from './flow-profile.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { type Result, race, ratioOf, spreadOf } from './race.ts';
import { BARE_PEER } from './whole-turns-contenders.ts';

export const wholeTurns: Part = {
  name: 'whole-turns',
  async run(options: BenchOptions): Promise<Report> {
    const assignment = (contender: string): Assignment => ({
      part: wholeTurns.name,
      contender,
      profile: TURNS_PROFILE.name,
      options,
    });
    const entrants = [VENUE, BARE_PEER].map((name) => [name, [assignment(name)]] as const);
    const [venue, peer] = (await race(new Map(entrants))) as [Result, Result];
    const ratio = ratioOf(peer, venue);
    const turns = spreadOf(venue.laps);
    const table = {
      title: `Whole turns: ${TURNS_PROFILE.title}`,
      notes: [venue.introduction.work, `results: ${reported(venue.introduction.outcome)}`],
      columns: ['', 'ns per operation', 'operations per second', 'whole turns are faster by'],
      rows: [
        ['venue, whole turns', inRange(turns, thousands), thousands(1e9 / turns.median), ''],
        [
          `${peer.name} ${peer.introduction.version}, the bare book`,
          inRange(spreadOf(peer.laps), thousands),
          thousands(1e9 / spreadOf(peer.laps).median),
          inRange(ratio, (times) => `${times.toFixed(1)} ×`),
        ],
      ],
    };
    const figures = {
      outcome: venue.introduction.outcome,
      nanoseconds: turns,
      turnsPerSecond: 1e9 / turns.median,
      barePeer: { name: peer.name, version: peer.introduction.version, nanoseconds: spreadOf(peer.laps), ratio },
    };
    return { tables: [table], figures: { wholeTurns: figures } };
  },
};

function reported(outcome: object): string {
  return Object.entries(outcome)
    .map(([name, count]) => `${thousands(count)} ${name}`)
    .join(', ');
}
