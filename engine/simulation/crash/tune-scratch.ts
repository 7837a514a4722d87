import { readCandleFile } from '#prices/candle-file.ts';
import { CandlePath } from '#prices/candle-path.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import * as P from './crash-parameters.ts';
import { runCrash } from './crash-run.ts';
import { tableOf } from './figures.ts';

const paths = ['BTC', 'ETH'].map(
  (s) => new CandlePath(readCandleFile(`/work/shared/data/${s}USDT_1m_2021-04-20_2021-05-20_crash0519.json.gz`)),
);
const on = process.argv[2] === 'on';
const t = process.cpuUsage();
const f = runCrash({
  markets: P.CRASH_MARKETS.map((m) => ({ ...m, autoDeleveraging: on })),
  paths,
  fromEpochMs: paths[0]!.beginsAtEpochMs,
  toEpochMs: paths[0]!.endsAtEpochMs,
  random: seededRandom(519),
  invariantsEvery: 200,
  report: console.log,
});
console.log(tableOf(`${on}`, { on: f }), f.refusals);
console.log(process.cpuUsage(t).user / 1e6);
