import { test } from 'vitest';
import { readCandleFile } from '#prices/candle-file.ts';
import { CandlePath } from '#prices/candle-path.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { CRASH_MARKETS } from './crash-parameters.ts';
import { runCrash } from './crash-run.ts';
import { tableOf } from './figures.ts';

const FOLDER = '/work/shared/data/';
test('try', () => {
  const paths = ['BTC', 'ETH'].map(
    (s) => new CandlePath(readCandleFile(`${FOLDER}${s}USDT_1m_2021-04-20_2021-05-20_crash0519.json.gz`)),
  );
  const seed = Number(process.env.SEED ?? 519);
  const columns: any = {};
  for (const on of [true, false]) {
    const t = performance.now();
    try {
      columns[on ? 'ADL' : 'no ADL'] = runCrash({
        markets: CRASH_MARKETS.map((m) => ({ ...m, autoDeleveraging: on })),
        paths,
        fromEpochMs: Date.UTC(2021, 4, 19, 10),
        toEpochMs: Date.UTC(2021, 4, 19, 15),
        random: seededRandom(seed),
        invariantsEvery: Number(process.env.INV ?? 50),
      });
    } catch (e) {
      console.log(on, e);
    }
    console.log((performance.now() - t) | 0, 'ms');
  }
  console.log(tableOf('x', columns));
  for (const c of Object.values(columns) as any[]) console.log(c.refusals);
}, 300000);
