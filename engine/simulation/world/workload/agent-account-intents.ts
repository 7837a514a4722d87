/** The commands of agent accounts in a test world: owners whose party is active open them, and strangers try. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { Intents } from './intent.ts';

type AgentAccountKind = 'OpenAgentAccount';

export const AGENT_ACCOUNT_INTENTS: Pick<Intents, AgentAccountKind> = {
  OpenAgentAccount: {
    weights: { onboarding: 2, stranger: 0.2 },
    make: (sender, { view }) => {
      const { random, tradingStyle } = sender;
      const owners = [...view.owners].filter(([, { party }]) => party === 'active');
      const isAny = tradingStyle === 'stranger' || owners.length === 0 || random.chance(0.1);
      return {
        type: 'OpenAgentAccount',
        account: (isAny ? random.between(0, 40) : random.pick(owners)[0]) as AccountOrdinal,
        label: random.chance(0.03) ? 'long '.repeat(20) : sender.newText(),
        digestSeed: random.between(0, 2 ** 32 - 1),
      };
    },
  },
};
