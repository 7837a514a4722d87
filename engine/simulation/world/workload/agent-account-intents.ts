/**
 * The commands of agent accounts in a test world. Owners open them and fund them, mostly in order; some fundings expire, are approved
 * twice, by an unknown passkey or for another account, or move again.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import { AGENT_FUNDING_DIRECTIONS } from '#venue/agent-account/agent-funding.ts';
import type { SeenFunding } from './agent-view.ts';
import type { Intents } from './intent.ts';
import type { Scene, Sender } from './sender.ts';

type AgentAccountKind = 'OpenAgentAccount' | 'CreateAgentFunding' | 'ApproveAgentFunding' | 'MoveAgentFunding';

export const AGENT_ACCOUNT_INTENTS: Pick<Intents, AgentAccountKind> = {
  OpenAgentAccount: {
    weights: { funder: 3 },
    make: (sender, { view }) => {
      const { random } = sender;
      const owners = [...view.owners].filter(([, { party }]) => party === 'active');
      if (owners.length === 0 && random.chance(0.9)) return undefined;
      const isAny = owners.length === 0 || random.chance(0.1);
      return {
        type: 'OpenAgentAccount',
        account: (isAny ? random.between(0, 40) : random.pick(owners)[0]) as AccountOrdinal,
        label: random.chance(0.03) ? 'long '.repeat(30) : sender.newText(),
        digestSeed: random.between(0, 2 ** 32 - 1),
      };
    },
  },
  CreateAgentFunding: {
    weights: { funder: 14 },
    make: (sender, scene) => {
      const { random } = sender;
      const { agents, owners } = scene.view;
      const ready = [...agents.agentAccounts].filter(([, account]) => owners.get(account)?.consent === 'present');
      const known = ready.length > 0 && random.chance(0.9) ? ready : [...agents.agentAccounts];
      if (known.length === 0) return undefined;
      const [agentAccount, account] = random.pick(known);
      const direction = random.chance(0.7) ? 'owner_to_agent' : random.pick(AGENT_FUNDING_DIRECTIONS);
      const available = scene.view.account(direction === 'owner_to_agent' ? account : agentAccount)?.available ?? 0;
      const lifetimeMs = random.chance(0.8) ? 3_600_000 : random.pick([0, 200, 20_000, 90_000_000]);
      return {
        type: 'CreateAgentFunding',
        account: account as AccountOrdinal,
        agentAccount: (random.chance(0.05) ? random.between(0, 40) : agentAccount) as AccountOrdinal,
        transferId: random.chance(0.05) ? '' : `transfer-of-agent-${sender.newText()}`,
        direction,
        amountAtoms: quoteAtoms(Math.floor(available * random.fraction() * (random.chance(0.1) ? 2 : 0.5))),
        expiresAtEpochMs: epochMs(scene.nowEpochMs() + lifetimeMs),
      };
    },
  },
  ApproveAgentFunding: {
    weights: { funder: 12 },
    make: (sender, scene) => {
      const { random } = sender;
      const funding = fundingFor(sender, scene, false);
      if (funding === undefined) return undefined;
      const passkeys = [...(scene.view.owners.get(funding.account)?.passkeys.keys() ?? [])];
      return {
        type: 'ApproveAgentFunding',
        ...funding,
        credentialId: passkeys.length === 0 || random.chance(0.05) ? 'unknown' : random.pick(passkeys),
        intentDigest: random.chance(0.02)
          ? ''
          : random
              .between(0, 2 ** 32)
              .toString(16)
              .padStart(64, '0'),
      };
    },
  },
  MoveAgentFunding: {
    weights: { funder: 10 },
    make: (sender, scene) => {
      const funding = fundingFor(sender, scene, true);
      return funding && { type: 'MoveAgentFunding', ...funding };
    },
  },
};

/** One that waits for its approval, or that is approved; now and then another account's or one that does not exist. */
function fundingFor(
  { random }: Sender,
  { view, nowEpochMs }: Scene,
  isApproved: boolean,
): { readonly account: AccountOrdinal; readonly transferId: string } | undefined {
  const all = [...view.agents.fundings.values()];
  const due = all.filter((it) => it.isApproved === isApproved && (isApproved || it.expiresAtEpochMs > nowEpochMs()));
  const wanted = due.length > 0 && random.chance(0.95) ? due : all;
  if (due.length === 0 && random.chance(0.9)) return undefined;
  if (wanted.length === 0 || random.chance(0.05)) return { account: 1 as AccountOrdinal, transferId: 'transfer-unknown-1' };
  // Mostly the newest, because the others expire.
  const { account, transferId }: SeenFunding = random.chance(0.7) ? wanted.at(-1)! : random.pick(wanted);
  return { account: (random.chance(0.05) ? random.between(1, 40) : account) as AccountOrdinal, transferId };
}
