/** The options of a backtest: reads them, and turns each into the value of its market or script. Every fault is one line. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BacktestMarket } from '#agents/backtest/backtest-terms.ts';
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import { LIMITS } from '#agents/script/limits.ts';
import type { ParameterValues } from '#agents/script/parameters.ts';
import type { Parameter } from '#agents/script/program.ts';
import { UsageFault, usageFaultOf, wholeNumber } from '#app/config.ts';
import type { MarketTerms } from '#app/recorded-market.ts';
import { DEPLOYMENT_TIMEFRAMES, type DeploymentTimeframe } from '#contract/markets.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { parseIsoTime } from '#units/iso-time.ts';
import { type BaseAtoms, type Bps, baseAtoms, bps } from '#units/money.ts';
import { quoteAtomsPerTickLot } from '#venue/market/specification.ts';
import { BACKTEST_HELP_COMMAND, MAX_COST_BPS, MAX_HISTORY_BARS, MAX_SHOWN_TRADES } from './backtest-help.ts';

export type BacktestOptions = ReturnType<typeof parseOptions>['values'];

export function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        strategy: { type: 'string' },
        draft: { type: 'string' },
        candles: { type: 'string' },
        url: { type: 'string' },
        market: { type: 'string' },
        timeframe: { type: 'string' },
        'order-size': { type: 'string' },
        param: { type: 'string', multiple: true },
        from: { type: 'string' },
        to: { type: 'string' },
        'history-bars': { type: 'string' },
        'fee-bps': { type: 'string' },
        'slippage-bps': { type: 'string' },
        trades: { type: 'string' },
        svg: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw usageFaultOf(error, BACKTEST_HELP_COMMAND);
  }
}

export interface ScriptSource {
  /** What messages about the script start with. */
  readonly name: string;
  readonly strategyId: string | null;
  readonly text: string;
}

/** The script of a file, or of the catalogue. */
export function scriptOf(files: readonly string[], strategyId: string | undefined): ScriptSource {
  const [file] = files;
  if (file !== undefined) return { name: file, strategyId: null, text: scriptFile(file) };
  const scripted = STRATEGY_CATALOGUE.strategies.filter(({ script }) => script !== null);
  const strategy = scripted.find(({ id }) => id === strategyId);
  if (strategy !== undefined) return { name: strategy.id, strategyId: strategy.id, text: strategy.script! };
  throw new UsageFault(`--strategy ${strategyId}: expected one of ${scripted.map(({ id }) => id).join(', ')}`);
}

function scriptFile(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > LIMITS.sourceBytes) throw new Error(`it has ${bytes.length} bytes, more than ${LIMITS.sourceBytes}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageFault(`${file}: cannot be read as a script: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A market of the devnet, for candles of a file. */
export function marketOf(id: string | undefined): MarketTerms {
  const market = DEVNET_MARKETS.find(({ specification }) => specification.marketId === id)?.specification;
  if (market !== undefined) return market;
  const known = DEVNET_MARKETS.map(({ specification }) => specification.marketId).join(', ');
  throw new UsageFault(`${id === undefined ? '--market is missing' : `--market ${id}`}: expected one of ${known}`);
}

export function backtestMarketOf(specification: MarketTerms): BacktestMarket {
  const { marketId, underlyingSymbol, priceScale, quantityScale, minQuantityAtoms, maxQuantityAtoms } = specification;
  const tickLotAtoms = quoteAtomsPerTickLot(specification);
  const scales = { priceScale, quantityScale, tickSizeAtoms: 1, tickLotAtoms };
  return { marketId, underlyingSymbol, ...scales, minQuantityAtoms, maxQuantityAtoms };
}

export function timeframeOf(text: string | undefined): DeploymentTimeframe {
  const timeframe = DEPLOYMENT_TIMEFRAMES.find((known) => known === text);
  if (timeframe !== undefined) return timeframe;
  throw new UsageFault(
    `${text === undefined ? '--timeframe is missing' : `--timeframe ${text}`}: expected one of ${DEPLOYMENT_TIMEFRAMES.join(', ')}`,
  );
}

export function orderSizeOf(text: string | undefined, market: MarketTerms): BaseAtoms {
  const { marketId, quantityScale, minQuantityAtoms, maxQuantityAtoms } = market;
  const parsed = text === undefined ? { fault: 'malformed' } : parseDecimal(text, quantityScale);
  if ('atoms' in parsed && parsed.atoms >= minQuantityAtoms && parsed.atoms <= maxQuantityAtoms) return baseAtoms(parsed.atoms);
  const [smallest, largest] = [minQuantityAtoms, maxQuantityAtoms].map((atoms) => renderDecimal(atoms, quantityScale));
  throw new UsageFault(
    `${text === undefined ? '--order-size is missing' : `--order-size ${text}`}: expected a quantity of ${marketId} from ` +
      `${smallest} to ${largest} with at most ${quantityScale} decimals`,
  );
}

export function costsOf(options: BacktestOptions, market: MarketTerms): { readonly feeBps: Bps; readonly slippageBps: Bps } {
  return {
    feeBps: bps(wholeNumber('--fee-bps', options['fee-bps'], market.takerFeeBps, MAX_COST_BPS)),
    slippageBps: bps(wholeNumber('--slippage-bps', options['slippage-bps'], 0, MAX_COST_BPS)),
  };
}

export function historyBarsOf(options: BacktestOptions): number {
  return wholeNumber('--history-bars', options['history-bars'], 300, MAX_HISTORY_BARS);
}

export function shownTradesOf(options: BacktestOptions): number {
  return wholeNumber('--trades', options.trades, 20, MAX_SHOWN_TRADES);
}

export function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const epochMs = parseIsoTime(text);
  if (epochMs === undefined)
    throw new UsageFault(`${option} ${text}: expected a time in UTC such as 2025-06-01 or 2025-06-01T12:00Z`);
  return epochMs;
}

/** The chosen values as the kinds of the parameters demand. A name that the script lacks is left for `resolveParameters` to refuse. */
export function chosenParameters(texts: readonly string[], parameters: readonly Parameter[]): ParameterValues {
  const chosen = new Map<string, number | boolean | string>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    const name = text.slice(0, equals);
    if (equals < 1) throw new UsageFault(`--param ${text}: expected <name>=<value>`);
    if (chosen.has(name)) throw new UsageFault(`--param ${text}: ${name} has a value already`);
    chosen.set(name, parameterValueOf(text.slice(equals + 1), parameters.find((parameter) => parameter.name === name)?.kind));
  }
  return Object.fromEntries(chosen);
}

function parameterValueOf(text: string, kind: Parameter['kind'] | undefined): number | boolean | string {
  if (kind === 'bool' && (text === 'true' || text === 'false')) return text === 'true';
  if ((kind === 'int' || kind === 'float') && /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)) return Number(text);
  return text;
}
