/** Generates the tables of docs/strategies.md: the strategies of the catalogue, and what the venue may do with what they come from. */
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import { type AgentStrategy, MAX_CATALOGUE_BYTES, USAGE_ALLOWED } from '#contract/agent-strategies.ts';
import { tableOf } from './markdown-table.ts';

export function strategyTables(): string {
  const { strategies } = STRATEGY_CATALOGUE;
  const fitting = strategies.filter(({ pineSubsetFit }) => pineSubsetFit);
  const others = strategies.filter(({ pineSubsetFit }) => !pineSubsetFit);
  return [
    `The response has at most ${MAX_CATALOGUE_BYTES} bytes before compression.`,
    '### Strategies with a script',
    tableOf(
      ['id', 'strategy', 'family', 'timeframe', 'parameters', 'source', 'use'],
      fitting.map((strategy) => [
        `\`${strategy.id}\``,
        strategy.name,
        `\`${strategy.family}\``,
        `\`${strategy.timeframe}\``,
        parametersOf(strategy),
        ...originOf(strategy),
      ]),
    ),
    '### Strategies that do not fit the script subset',
    tableOf(
      ['id', 'strategy', 'family', 'why it does not fit', 'source', 'use'],
      others.map((strategy) => [
        `\`${strategy.id}\``,
        strategy.name,
        `\`${strategy.family}\``,
        strategy.pineSubsetFitReason,
        ...originOf(strategy),
      ]),
    ),
    '### What a use permits',
    tableOf(
      ['`usageAllowed`', 'meaning'],
      Object.entries(USAGE_ALLOWED).map(([value, meaning]) => [`\`${value}\``, meaning]),
    ),
  ].join('\n\n');
}

/** The parameters with their defaults. */
function parametersOf({ parameters }: AgentStrategy): string {
  return parameters.map((parameter) => `\`${parameter.name}\` ${parameter.default}`).join(', ');
}

function originOf({ sourceVenue, sourceUrl, termsUrl, usageAllowed }: AgentStrategy): [source: string, use: string] {
  return [`[${sourceVenue}](${sourceUrl})`, `[\`${usageAllowed}\`](${termsUrl})`];
}
