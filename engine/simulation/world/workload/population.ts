/** All senders of a test world: their opening commands, and the next sender with its command. */

import type { RandomSource } from '#simulation/world/random-source.ts';
import type { AccountOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import { type Command, ENVIRONMENTS, NO_OFFER } from '#venue/command.ts';
import { agentOpening } from './agent-intents.ts';
import { COMMAND_KINDS, INTENTS } from './intents.ts';
import { type OpenedSetup, ownerOpening } from './owner-intents.ts';
import { type Scene, Sender } from './sender.ts';
import { STYLES, TRADING_STYLES, type TradingStyle } from './trading-styles.ts';
import { WORLD_MARKETS } from './world-markets.ts';

/** The weights of the commands of each trading style, from the table of intents. */
const CHOICES = Object.fromEntries(
  TRADING_STYLES.map((tradingStyle) => [tradingStyle, COMMAND_KINDS.map((kind) => INTENTS[kind].weights[tradingStyle] ?? 0)]),
) as unknown as Readonly<Record<TradingStyle, readonly number[]>>;

/** The trading styles without an account. */
const WITHOUT_ACCOUNT: readonly TradingStyle[] = [
  'operator',
  'onboarding',
  'clockwork',
  'feed',
  'coordinator',
  'strategist',
  'funder',
];

export class Population {
  readonly #random: RandomSource;
  readonly #senders: Sender[] = [];
  readonly #activity: number[] = [];
  /** The opening commands in order: environment, markets, accounts, money. */
  readonly opening: readonly Command[];

  constructor(random: RandomSource) {
    this.#random = random;
    let accounts = 0;
    for (const tradingStyle of TRADING_STYLES) {
      const { minCount, maxCount, activity } = STYLES[tradingStyle];
      for (let count = random.between(minCount, maxCount); count > 0; count -= 1) {
        const hasAccount = !WITHOUT_ACCOUNT.includes(tradingStyle);
        if (hasAccount) accounts += 1;
        this.#senders.push(new Sender(tradingStyle, `${tradingStyle}${count}`, hasAccount ? accounts : 0, random.fork()));
        this.#activity.push(activity);
      }
    }
    this.opening = this.#openingCommands(accounts);
  }

  /** The next sender and its command; `undefined` if the sender has no command to send. */
  next(scene: Scene): { readonly sender: Sender; readonly command: Command } | undefined {
    const sender = this.#senders[this.#random.weighted(this.#activity)]!;
    const command = this.another(sender, scene);
    return command && { sender, command };
  }

  /** A command of the sender. */
  another(sender: Sender, scene: Scene): Command | undefined {
    const kind = COMMAND_KINDS[sender.random.weighted(CHOICES[sender.tradingStyle])]!;
    return INTENTS[kind].make(sender, scene);
  }

  /** The sender of the opening commands. */
  get operator(): Sender {
    return this.#senders.find(({ tradingStyle }) => tradingStyle === 'operator')!;
  }

  /** Some worlds are bound to an environment; there everything that senders need is switched on, if it is not on. */
  #binding(): Command[] {
    if (this.#random.chance(0.5)) return [];
    const switched = (['trading', 'deposits', 'withdrawals', 'transfers', 'agents'] as const).map(
      (capability) => ({ type: 'SetCapability', capability, isOn: true }) as const,
    );
    return [{ type: 'BindEnvironment', environment: this.#random.pick(ENVIRONMENTS) }, ...switched];
  }

  /** Some accounts are registered by owners, and some of those cannot trade until the owner has set them up. */
  #accountOpening(account: AccountOrdinal, label: string, setup: OpenedSetup | undefined): readonly Command[] {
    // In most worlds an account before it is an affiliate.
    if (setup !== undefined) return ownerOpening(account, label, setup, this.#random.chance(0.7) ? FIRST_CODE : '');
    return [{ type: 'OpenAccount', label, partyId: `party-${account}`, digestSeed: account }];
  }

  #setup(): OpenedSetup | undefined {
    if (!this.#random.chance(0.25)) return undefined;
    return this.#random.pick(['registered', 'active', 'active', 'consented', 'consented', 'consented'] as const);
  }

  #openingCommands(accounts: number): Command[] {
    const markets = WORLD_MARKETS.slice(0, this.#random.between(1, WORLD_MARKETS.length));
    const opening: Command[] = [
      ...this.#binding(),
      ...markets.map((specification) => ({ type: 'ListMarket', specification, status: 'open' }) as const),
    ];
    const opener = this.operator;
    const owner = 1 as AccountOrdinal;
    const ownerSetup = this.#random.chance(0.6) ? agentSetup(owner, opener.newText()) : [];
    const consented: AccountOrdinal[] = [];
    for (let place = 1; place <= accounts; place += 1) {
      const account = place as AccountOrdinal;
      const [registration] = account === owner ? ownerSetup.splice(0, 1) : [];
      const setup = this.#setup();
      if (registration !== undefined) opening.push(registration);
      else {
        if (setup === 'consented') consented.push(account);
        opening.push(...this.#accountOpening(account, opener.newText(), setup));
      }
      // Commands overtake each other, so the steps of the setup are not next to each other.
      if (account % 2 === 0) opening.push(...ownerSetup.splice(0, 1));
      if (account === owner && this.#random.chance(0.7)) opening.push(...affiliateOpening(owner));
      const amountAtoms = quoteAtoms(Math.floor(10 ** (8 + this.#random.fraction() * 3)));
      opening.push({ type: 'CreditCash', account, amountAtoms, reference: opener.newText() });
    }
    opening.push(...ownerSetup);
    for (const account of consented)
      opening.push({ type: 'OpenAgentAccount', account, label: opener.newText(), digestSeed: account });
    if (this.#random.chance(0.7)) opening.push(...ownerMoney(opener));
    opening.push({
      type: 'CreditInsurance',
      amountAtoms: quoteAtoms(this.#random.pick([1, 50_000_000, 5_000_000_000])),
      reference: opener.newText(),
    });
    return opening;
  }
}

/** The steps of an owner with a reviewed draft and an agent account, which is opened after all other accounts. */
function agentSetup(account: AccountOrdinal, label: string): Command[] {
  const agentAccount = { type: 'OpenAgentAccount', account, label, digestSeed: account } as const;
  return [...ownerOpening(account, label, 'active', ''), ...agentOpening(account, label), agentAccount];
}

const FIRST_CODE = 'first-referral-code';

function affiliateOpening(account: AccountOrdinal): Command[] {
  return [
    { type: 'SetCapability', capability: 'affiliate', isOn: true },
    { type: 'RegisterAffiliate', account, referralCode: FIRST_CODE },
  ];
}

/** The first account has a deposit, and the second one a withdrawal whose payout can be offered. */
function ownerMoney(opener: Sender): Command[] {
  const [first, second] = [1, 2] as AccountOrdinal[];
  const amountAtoms = quoteAtoms(1_000_000);
  const withdrawal = 1 as WithdrawalOrdinal;
  const consent = { step: 'owner_withdrawal_consent', attempt: 1 } as const;
  const keys = { ledgerKey: opener.newText(), idempotencyKey: opener.newText() };
  return [
    { type: 'GrantFaucet', account: first!, amountAtoms: quoteAtoms(1_000_000_000) },
    { type: 'BindDeposit', account: first!, intent: 1 as FundingIntentOrdinal, ledgerKey: opener.newText() },
    { type: 'RequestWithdrawal', account: second!, amountAtoms, destination: 'party-2', ...keys },
    { type: 'ReserveOnLedger', withdrawal },
    { type: 'AuthorizeWithdrawal', account: second!, withdrawal },
    { type: 'SubmitWithdrawalStep', withdrawal, ...consent, offerExpiresAtEpochMs: NO_OFFER },
    {
      type: 'RecordWithdrawalStep',
      withdrawal,
      ...consent,
      outcome: 'accepted',
      reason: '',
      createdId: opener.newText(),
      ledgerEventId: opener.newText(),
      ledgerOffset: 1,
    },
  ];
}
