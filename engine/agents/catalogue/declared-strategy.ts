/** An entry as its file declares it. The catalogue adds whether the rules fit the script subset, and the script. */
import type { AgentStrategy } from '#contract/agent-strategies.ts';

export type DeclaredStrategy = Omit<AgentStrategy, 'pineSubsetFit' | 'script'>;

/** Where rules need nothing else. */
export const FITS = 'One market, one timeframe, indicators of the subset, and market orders at the close of a bar.';
