/**
 * Replays the records of a journal, as every start does after the last snapshot: read from the disk, verified by the chain,
 * decoded, processed, and their events compared with those in the journal, byte for byte. On one core.
 */
import { inBenchDirectory } from './bench-directory.ts';
import { BYTES_PER_COMMAND, writeJournal } from './bench-journal.ts';
import { runProcess } from './bench-process.ts';
import type { BenchOptions } from './contender.ts';
import { inSmall, TURNS_PROFILE } from './flow-profile.ts';
import { orderFlow } from './order-flow.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { spreadOf } from './race.ts';
import type { ReplayRequest, ReplayResponse } from './replay-process.ts';
import { turnCommands } from './turn-commands.ts';

const COMMANDS = 200_000;
const ROUNDS = 8;
const QUICK_ROUNDS = 3;

export const replay: Part = {
  name: 'replay',
  run({ isQuick, seed }: BenchOptions): Promise<Report> {
    const profile = isQuick ? inSmall(TURNS_PROFILE) : { ...TURNS_PROFILE, operations: COMMANDS };
    return inBenchDirectory(COMMANDS * BYTES_PER_COMMAND, async (directory) => {
      const { commands } = turnCommands(orderFlow(profile, seed));
      const end = await writeJournal(
        directory,
        commands.map(({ command }) => command),
      );
      const request: ReplayRequest = { directory, followFrom: end, rounds: isQuick ? QUICK_ROUNDS : ROUNDS };
      const { answer } = await runProcess<ReplayResponse>('./replay-process.ts', request);
      return report(
        commands.length,
        answer.milliseconds.map((it) => (commands.length * 1000) / it),
      );
    });
  },
};

function report(commands: number, [first, ...later]: readonly number[]): Report {
  const perSecond = spreadOf(later);
  const inTurn = 'read, verified, decoded, processed, and every byte of their events compared';
  const table = {
    title: 'Replay: records replayed from the journal, on one core',
    notes: [`${thousands(commands)} records of ten markets and 1,000 accounts: ${inTurn}`],
    columns: ['', 'commands per second'],
    rows: [
      ['the first time in a process', thousands(Math.round(first!))],
      ['later, when all is compiled', inRange(perSecond, (value) => thousands(Math.round(value)))],
    ],
  };
  return { tables: [table], figures: { replay: { commands, firstPerSecond: first, perSecond } } };
}
