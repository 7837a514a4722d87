/**
 * The strategy catalogue that `GET /v1/agents/strategies` returns. It is fixed by the release: entries and scripts are files of this
 * folder. Strategies that fit the script subset come first, each with the script in `scripts/<id>.pine`.
 */
import { readFileSync } from 'node:fs';
import type { AgentStrategy, AgentStrategyCatalogue } from '#contract/agent-strategies.ts';
import { BREAKOUT } from './breakout.ts';
import type { DeclaredStrategy } from './declared-strategy.ts';
import { MEAN_REVERSION } from './mean-reversion.ts';
import { MOMENTUM } from './momentum.ts';
import { OUTSIDE_SUBSET } from './outside-subset.ts';
import { TREND } from './trend.ts';

export const STRATEGY_CATALOGUE: AgentStrategyCatalogue = {
  version: 'agent-strategy-catalog/v1',
  strategies: [
    ...[...BREAKOUT, ...TREND, ...MOMENTUM, ...MEAN_REVERSION].map(withScript),
    ...OUTSIDE_SUBSET.map((strategy): AgentStrategy => ({ ...strategy, pineSubsetFit: false, script: null })),
  ],
};

function withScript(strategy: DeclaredStrategy): AgentStrategy {
  const script = readFileSync(new URL(`scripts/${strategy.id}.pine`, import.meta.url), 'utf8');
  return { ...strategy, pineSubsetFit: true, script };
}
