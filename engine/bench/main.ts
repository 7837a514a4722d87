/** `npm run bench`: measures, and prints tables. {@link HELP} lists the parts and options. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { agents } from './agents.ts';
import { attacks } from './attacks.ts';
import { beside } from './beside.ts';
import { book } from './book.ts';
import { ccxtOrders } from './ccxt-orders.ts';
import type { BenchOptions } from './contender.ts';
import { durableCommits } from './durable-commits.ts';
import { fanOut } from './fan-out.ts';
import { history } from './history.ts';
import { journal } from './journal.ts';
import { ordersOverHttp } from './orders-over-http.ts';
import { type Part, renderTable } from './part.ts';
import { recovery } from './recovery.ts';
import { refusals } from './refusals.ts';
import { replay } from './replay.ts';
import { snapshot } from './snapshot.ts';
import { soak } from './soak.ts';
import { sockets } from './sockets.ts';
import { startUp } from './start-up.ts';
import { triggers } from './triggers.ts';
import { wholeTurns } from './whole-turns.ts';

const PARTS: readonly Part[] = [
  book,
  wholeTurns,
  durableCommits,
  journal,
  snapshot,
  replay,
  recovery,
  history,
  ordersOverHttp,
  ccxtOrders,
  fanOut,
  refusals,
  agents,
  triggers,
];
/** Long parts, or parts at the limits: run only by name. */
const PARTS_BY_NAME: readonly Part[] = [...PARTS, attacks, soak, sockets, startUp, beside];
const DEFAULT_SEED = '1';
const HELP = `Usage: npm run bench -- [options]

  book             the venue's book compared with order books from npm: same flow, same trades
  whole-turns      every rule of the venue and its journal's bytes, compared with a bare book from npm
  durable-commits  commands at a steady rate: the time until each is durable
  journal          records, digests, writes and syncs without the turns, compared with the bare disk with the same bytes
  snapshot         100,000 orders of 10,000 accounts: made, written, read; the pause of a running venue
  replay           records replayed from the journal, with every byte of their events compared
  recovery         from the start of a process to a venue that takes commands, with all idempotency keys
                     OPENPERP_RECOVERY_COMMANDS   the number of commands in the journal (200000)
  history          the first and the last page of one account's long history, with every filter
                     OPENPERP_HISTORY_ROWS        the number of its orders and fills (1000000)
  orders-over-http the venue, and a bare fastify route with the same body and response
  ccxt-orders      createOrder through the ccxt class, compared with ccxt's bare signed POST to the same server
  fan-out          updates of a book to a thousand sockets, compared with bare ws servers with the same frames
  refusals         hostile bodies and frames: the cost of refusing them, compared with JSON.parse of the same bytes
  agents           1,000 deployments on one-minute candles: times real time, and from the closed bar to the durable order
  triggers         10,000 trigger orders due at one price: the time of each turn, and of orders placed meanwhile, also with the disk
  attacks          the latency of a polite client during requests that are most expensive to refuse. Only by name
                     OPENPERP_ATTACK              only those whose name contains this
  soak             the venue under load: does memory or p99 grow? Only by name
                     OPENPERP_SOAK_MINUTES        the duration (30)
                     OPENPERP_SOAK_RATE           the commands per second (3000)
  sockets          1,000 idle sockets and 100 subscribed to everything, during trading: does memory grow, is an update lost?
                   Only by name
                     OPENPERP_SOCKETS_MINUTES     the duration (10)
  start            the start time of a venue, and the first pages of its synthetic history. Only by name
                     OPENPERP_START_BESIDE        another checkout, started in turn with this one
  beside           this checkout compared with another: book, whole turns and orders over HTTP, by CPU time. Only by name. Give
                   it one core where others share the machine (Linux: taskset -c 1 npm run bench ...)
                     OPENPERP_BESIDE              the other checkout (default: this one, which shows the noise)
                     OPENPERP_BESIDE_PAIRS        the number of pairs of processes (15)

  --only <part>[,<part>...]   measures only these (all but attacks, soak, sockets, start and beside)
  --seed <number>             generates other flows (${DEFAULT_SEED})
  --quick                     runs everything in small: tests whether it works, not how fast
  --json                      prints one object for programs
  --help                      this text`;

/** An invalid command line; the message is one line. */
class UsageFault extends Error {}
const USAGE_STATUS = 2;

try {
  const values = parseOptions();
  if (values.help) console.log(HELP);
  else await measure(values, chosenParts(values.only));
} catch (error) {
  if (!(error instanceof UsageFault)) throw error;
  console.error(`bench: ${error.message}`);
  process.exitCode = USAGE_STATUS;
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        only: { type: 'string', default: PARTS.map((part) => part.name).join(',') },
        seed: { type: 'string', default: DEFAULT_SEED },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageFault(`${sentence.replace(/\.$/, '')}; see npm run bench -- --help`);
  }
}

async function measure(values: ReturnType<typeof parseOptions>, parts: readonly Part[]): Promise<void> {
  const options: BenchOptions = { seed: Number(values.seed), isQuick: values.quick };
  const machine = { processor: cpus()[0]?.model ?? 'unknown', processors: cpus().length, node: process.version };
  const figures: Record<string, unknown> = { machine, ...options };
  if (!values.json)
    console.log(`${machine.processor}, ${machine.processors} processors, Node ${machine.node}, seed ${options.seed}`);
  for (const part of parts) {
    const report = await part.run(options);
    Object.assign(figures, report.figures);
    if (!values.json) for (const table of report.tables) console.log(`\n${renderTable(table)}`);
  }
  if (values.json) console.log(JSON.stringify(figures, undefined, 2));
  else console.log('\nMedians of interleaved rounds, in brackets the lowest and highest. Ratios are taken within a round.');
}

function chosenParts(names: string): Part[] {
  return names.split(',').map((name) => {
    const part = PARTS_BY_NAME.find((candidate) => candidate.name === name);
    if (part === undefined)
      throw new UsageFault(`there is no part “${name}”: ${PARTS_BY_NAME.map((known) => known.name).join(', ')}`);
    return part;
  });
}
