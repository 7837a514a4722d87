/** Everyone who sends in a test world: how it begins, and who of them sends what next. */

import type { Dice } from '#simulation/world/dice.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { COMMAND_KINDS, INTENTS } from './intents.ts';
import { type Scene, Sender } from './sender.ts';
import { MANNERS, TEMPERAMENTS, type Temperament } from './temperaments.ts';
import { WORLD_MARKETS } from './world-markets.ts';

/** What each temperament sends and how often, out of the table of intents. */
const CHOICES = Object.fromEntries(
  TEMPERAMENTS.map((temperament) => [temperament, COMMAND_KINDS.map((kind) => INTENTS[kind].weights[temperament] ?? 0)]),
) as unknown as Readonly<Record<Temperament, readonly number[]>>;

/** Those whose account is their own business. */
const WITHOUT_ACCOUNT: readonly Temperament[] = ['operator', 'clockwork', 'feed'];

export class Population {
  readonly #dice: Dice;
  readonly #senders: Sender[] = [];
  readonly #activity: number[] = [];
  /** What opens the world, in order: markets, accounts, money. */
  readonly opening: readonly Command[];

  constructor(dice: Dice) {
    this.#dice = dice;
    let accounts = 0;
    for (const temperament of TEMPERAMENTS) {
      const { fewest, most, activity } = MANNERS[temperament];
      for (let count = dice.between(fewest, most); count > 0; count -= 1) {
        const hasAccount = !WITHOUT_ACCOUNT.includes(temperament);
        if (hasAccount) accounts += 1;
        this.#senders.push(new Sender(temperament, `${temperament}${count}`, hasAccount ? accounts : 0, dice.fork()));
        this.#activity.push(activity);
      }
    }
    this.opening = this.#openingCommands(accounts);
  }

  /** Somebody who is up next, and what they send; nothing where they have nothing to send. */
  next(scene: Scene): { readonly sender: Sender; readonly command: Command } | undefined {
    const sender = this.#senders[this.#dice.weighted(this.#activity)]!;
    const command = this.another(sender, scene);
    return command && { sender, command };
  }

  /** Something that a sender sends. */
  another(sender: Sender, scene: Scene): Command | undefined {
    const kind = COMMAND_KINDS[sender.dice.weighted(CHOICES[sender.temperament])]!;
    return INTENTS[kind].make(sender, scene);
  }

  /** Whoever opens the world. */
  get operator(): Sender {
    return this.#senders.find(({ temperament }) => temperament === 'operator')!;
  }

  #openingCommands(accounts: number): Command[] {
    const markets = WORLD_MARKETS.slice(0, this.#dice.between(1, WORLD_MARKETS.length));
    const opening: Command[] = markets.map((specification) => ({ type: 'ListMarket', specification, status: 'open' }));
    const opener = this.operator;
    for (let account = 1; account <= accounts; account += 1) {
      opening.push({ type: 'OpenAccount', label: opener.newText(), partyId: `party-${account}`, digestSeed: account });
      const amountAtoms = quoteAtoms(Math.floor(10 ** (8 + this.#dice.fraction() * 3)));
      opening.push({ type: 'CreditCash', account: account as AccountOrdinal, amountAtoms, reference: opener.newText() });
    }
    opening.push({
      type: 'CreditInsurance',
      amountAtoms: quoteAtoms(this.#dice.pick([1, 50_000_000, 5_000_000_000])),
      reference: opener.newText(),
    });
    return opening;
  }
}
