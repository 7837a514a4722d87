/** The venue's book compared with order books from npm: the same flow and the same trades, operation by operation. */
import { isDeepStrictEqual } from 'node:util';
import { VENUE } from './book-contenders.ts';
import type { BookOutcome } from './book-outcome.ts';
import type { Assignment, BenchOptions } from './contender.ts';
import type { FlowProfile } from './flow-profile.ts';
import { PROFILES } from './flow-profile.ts';
import type { Part, Report, Table } from './part.ts';
import { ID_FORMS, PEERS } from './peer-contender.ts';
import { inRange, thousands } from './prose.ts';
import { type Result, race, ratioOf, spreadOf } from './race.ts';

export const book: Part = {
  name: 'book',
  async run(options: BenchOptions): Promise<Report> {
    const tables: Table[] = [];
    const ratio: Record<string, Record<string, number>> = Object.fromEntries(PEERS.map((peer) => [peer, {}]));
    const profiles: Record<string, object> = {};
    for (const profile of PROFILES) {
      const results = await race(entrantsIn(profile, options));
      demandSameOutcome(profile, results);
      const [venue, ...peers] = results as [Result, ...Result[]];
      for (const peer of peers) ratio[peer.name]![profile.name] = ratioOf(peer, venue).median;
      tables.push(tableOf(profile, venue, peers));
      profiles[profile.name] = figuresOf(venue, peers);
    }
    return { tables, figures: { ratio, book: profiles } };
  },
};

function entrantsIn({ name: profile }: FlowProfile, options: BenchOptions): Map<string, Assignment[]> {
  const assignment = (contender: string): Assignment => ({ part: book.name, contender, profile, options });
  const forms = options.isQuick ? ID_FORMS.slice(0, 1) : ID_FORMS;
  const peers = PEERS.map((peer) => [peer, forms.map((form) => assignment(`${peer}: ${form}`))] as const);
  return new Map<string, Assignment[]>([[VENUE, [assignment(VENUE)]], ...peers]);
}

/** Books with different results are not compared. */
function demandSameOutcome({ name }: FlowProfile, [venue, ...peers]: readonly Result[]): void {
  for (const peer of peers) {
    const [found, expected] = [peer.introduction.outcome, venue!.introduction.outcome];
    if (!isDeepStrictEqual(found, expected)) {
      throw new Error(`${name}: ${peer.name} produced ${JSON.stringify(found)}, the venue ${JSON.stringify(expected)}`);
    }
  }
}

function tableOf({ title }: FlowProfile, venue: Result, peers: readonly Result[]): Table {
  const { trades, volume } = venue.introduction.outcome as BookOutcome;
  return {
    title: `Book: ${title}`,
    notes: [
      venue.introduction.work,
      `every book produced the same ${thousands(trades)} trades of ${thousands(volume)} lots, and the same depth`,
    ],
    columns: ['', 'ns per operation', 'operations per second', 'the venue is faster by'],
    rows: [venue, ...peers].map((result) => {
      const laps = spreadOf(result.laps);
      const { version, manner } = result.introduction;
      const ratio = result === venue ? '' : inRange(ratioOf(result, venue), (times) => `${times.toFixed(1)} ×`);
      const name = result === venue ? 'venue' : `${result.name} ${version} (${manner})`;
      return [name, inRange(laps, (ns) => thousands(ns)), thousands(1e9 / laps.median), ratio];
    }),
  };
}

function figuresOf(venue: Result, peers: readonly Result[]): object {
  const figures = [venue, ...peers].map((result) => {
    const { version, manner } = result.introduction;
    const ratio = result === venue ? {} : { ratio: ratioOf(result, venue) };
    return [result.name, { version, manner, nanoseconds: spreadOf(result.laps), ...ratio }];
  });
  return { outcome: venue.introduction.outcome, ...Object.fromEntries(figures) };
}
