/**
 * Who published the strategies, with the terms of what they publish. An address in a repository names a commit, so that a reader finds
 * what was read. A summary states only what the terms say; terms that were not read permit a reference only.
 */
import type { AgentStrategy } from '#contract/agent-strategies.ts';

type Publication = Pick<AgentStrategy, 'sourceVenue' | 'sourceUrl' | 'sourceKind' | 'termsUrl' | 'termsSummary' | 'usageAllowed'>;

const MIT =
  'MIT licence: anyone may use, copy, change, distribute and sell it, if copies keep the copyright notice and the licence. There is no warranty.';
const APACHE =
  'Apache License 2.0: anyone may use, change and distribute it, also commercially. Copies keep the licence and the notices, and changed ' +
  'files say so. There is no warranty.';

interface Project {
  readonly sourceVenue: string;
  readonly repository: string;
  readonly commit: string;
  readonly termsSummary: string;
  /** Where the licence is: its commit and path. By default `LICENSE` of the same commit. */
  readonly licence?: string;
}

/** The strategies of a project whose licence permits reuse. */
function openSource({ sourceVenue, repository, commit, termsSummary, licence = `${commit}/LICENSE` }: Project) {
  const blobs = `https://github.com/${repository}/blob`;
  const addressOf = (path: string) => `${blobs}/${commit}/${path}`;
  return {
    addressOf,
    publicationOf: (path: string): Publication => ({
      sourceVenue,
      sourceUrl: addressOf(path),
      sourceKind: 'classic_template',
      termsUrl: `${blobs}/${licence}`,
      termsSummary,
      usageAllowed: 'attribution_required',
    }),
  };
}

export const JESSE = openSource({
  sourceVenue: 'Jesse',
  repository: 'jesse-ai/example-strategies',
  commit: '7c91e0a37bf62165790120d730442e4f6eb00364',
  termsSummary: MIT,
});

/** The result of a backtest that Jesse publishes beside a strategy. */
export function backtestOfJesse(path: string, asOf: string, apr: string, maxDrawdown: string): AgentStrategy['publicStats'] {
  const source = { asOf, sourceUrl: JESSE.addressOf(path) };
  return [
    { metric: 'apr', value: apr, ...source },
    { metric: 'max_drawdown', value: maxDrawdown, ...source },
  ];
}

export const LEAN = openSource({
  sourceVenue: 'QuantConnect LEAN',
  repository: 'QuantConnect/Lean',
  commit: '24863901deffa9ec7985e21ef8fbdb0258efb9e4',
  termsSummary: APACHE,
});

export const HUMMINGBOT = openSource({
  sourceVenue: 'Hummingbot',
  repository: 'hummingbot/hummingbot',
  commit: '2bfaccc48dd49e71a5b6d9b3011808e127dd00cd',
  termsSummary: APACHE,
});

export const QUANT_TRADING = openSource({
  sourceVenue: 'je-suis-tm quant-trading',
  repository: 'je-suis-tm/quant-trading',
  commit: '611b73f2c3f577ac5b28aaa19ac8c43d3236c7a5',
  termsSummary: APACHE,
});

export const INDICATOR_TS = openSource({
  sourceVenue: 'Indicator TS',
  repository: 'cinar/indicatorts',
  commit: '3ab9c2f481091a5072d339242425e7be562d299c',
  termsSummary: MIT,
  licence: '3ab9c2f481091a5072d339242425e7be562d299c/LICENSE.md',
});

export const TA4J = openSource({
  sourceVenue: 'ta4j',
  repository: 'ta4j/ta4j',
  commit: '42e1a941ebdf4f8b122b12ab65bfd012c6bee7f3',
  termsSummary: MIT,
  licence: '1cc28690b47e123d6b64c8a91f617a7537138fd3/LICENSE',
});

export const CHART_MANUAL: Publication = {
  sourceVenue: 'Chart, a program by Kevin Ryde',
  sourceUrl: 'http://user42.tuxfamily.org/chart/manual/Keltner-Channel.html',
  sourceKind: 'reference_page',
  termsUrl: 'http://user42.tuxfamily.org/chart/manual/Copying.html',
  termsSummary:
    'GNU General Public License, version 3 or later: copies and changed versions keep this licence, and changes are identified. There is no ' +
    'warranty. The manual says that it gives no financial advice.',
  usageAllowed: 'share_alike',
};

export const LONG_TRADER: Publication = {
  sourceVenue: 'LongTrader',
  sourceUrl: 'https://docs.rs/crate/longtrader-worker/latest/source/src/strategies/bb_keltner_squeeze/README.md',
  sourceKind: 'classic_template',
  termsUrl: 'https://docs.rs/longtrader-cli',
  termsSummary:
    'The page of a sibling package names the Apache License 2.0. The licence text of this package was not read, so the entry only refers to it.',
  usageAllowed: 'reference_only',
};

export const THINKORSWIM: Publication = {
  sourceVenue: 'thinkorswim Learning Center',
  sourceUrl: 'https://tlc.thinkorswim.com/center/reference/Tech-Indicators/strategies/A-D/ATRTrailingStopLE?color=light',
  sourceKind: 'reference_page',
  termsUrl: 'https://www.thinkorswim.com/tos/displayPage.tos?webpage=disclaimers',
  termsSummary:
    'The disclaimers of thinkorswim say that its site only informs, and is no solicitation and no advice. Terms of reuse were not read, so ' +
    'the entry only refers to it.',
  usageAllowed: 'reference_only',
};
