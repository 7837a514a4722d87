/**
 * `npm run bench`: measures, and prints tables. `--json` prints one object instead, `--only book,whole-turns` picks parts,
 * `--seed 7` makes other flows, `--quick` does everything in small to see whether it works.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { book } from './book.ts';
import type { BenchOptions } from './contender.ts';
import { durableCommits } from './durable-commits.ts';
import { type Part, renderTable } from './part.ts';
import { wholeTurns } from './whole-turns.ts';

const PARTS: readonly Part[] = [book, wholeTurns, durableCommits];
const DEFAULT_SEED = '1';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: PARTS.map((part) => part.name).join(',') },
    seed: { type: 'string', default: DEFAULT_SEED },
  },
});

const options: BenchOptions = { seed: Number(values.seed), isQuick: values.quick };
const machine = { processor: cpus()[0]?.model ?? 'unknown', processors: cpus().length, node: process.version };
const figures: Record<string, unknown> = { machine, ...options };
if (!values.json)
  console.log(`${machine.processor}, ${machine.processors} processors, Node ${machine.node}, seed ${options.seed}`);
for (const part of chosenParts(values.only)) {
  const report = await part.run(options);
  Object.assign(figures, report.figures);
  if (!values.json) for (const table of report.tables) console.log(`\n${renderTable(table)}`);
}
if (values.json) console.log(JSON.stringify(figures, undefined, 2));
else console.log('\nMedians of interleaved rounds, in brackets the lowest and highest. Ratios are taken within a round.');

function chosenParts(names: string): Part[] {
  return names.split(',').map((name) => {
    const part = PARTS.find((candidate) => candidate.name === name);
    if (part === undefined) throw new Error(`there is no part “${name}”: ${PARTS.map((known) => known.name).join(', ')}`);
    return part;
  });
}
