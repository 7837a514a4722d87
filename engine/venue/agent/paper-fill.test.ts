/**
 * Property: a paper order and a real market order of the same agent account, with the same terms at the same book, have the same fills,
 * fees and refusals, and the paper ledger has the sums of the real fills. `OPENPERP_PAPER_SEEDS=500 npx vitest run
 * engine/venue/agent/paper-fill.test.ts` runs that many worlds; `OPENPERP_PAPER_FIRST_SEED=7` runs that one first.
 */
import { describe, expect, test } from 'vitest';
import { BTC, type Scenario } from '#simulation/scenario.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import type { PlaceOrder, PlacePaperOrder } from '#venue/command.ts';
import type { PaperOrderPlaced, VenueEvent } from '#venue/event.ts';
import { only } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { EMPTY_LEDGER, type PaperLedger } from './paper-ledger.ts';
import { type AgentOwner, paperOrder, running } from './testing/agents.ts';

const SEEDS = Number(process.env.OPENPERP_PAPER_SEEDS ?? 12);
const FIRST_SEED = Number(process.env.OPENPERP_PAPER_FIRST_SEED ?? 1);
const ORDERS = 150;
/** What refuses or ends a real order only because its account has too little, which a paper order has not. */
const OF_MARGIN = ['insufficient_margin', 'exposure_limit', 'bankruptcy_price'];

type Amounts = Pick<
  PaperOrderPlaced,
  'reason' | 'filledBaseAtoms' | 'filledNotionalAtoms' | 'feeAtoms' | 'fills' | 'worstPriceAtoms'
>;

/** A deployment with an agent account that has enough money for the same orders. */
class Agent {
  readonly owner: AgentOwner;
  readonly deployment: number;
  ledger: PaperLedger = EMPTY_LEDGER;

  constructor(scenario: Scenario, identity: number) {
    this.owner = running(scenario, identity);
    this.deployment = scenario.venue.state.agents.lastDeployment;
    scenario.run({
      type: 'CreditCash',
      account: this.owner.agentAccount,
      amountAtoms: 1_000_000_000_000 as QuoteAtoms,
      reference: 'test',
    });
  }

  /** Whether the real position is that of the paper ledger. A liquidation or a deleveraging may have changed it. */
  isEqual({ venue }: Scenario): boolean {
    const real = venue.state.account(this.owner.agentAccount)!.positions[BTC]?.signedBaseAtoms ?? 0;
    return real === this.ledger.positionBaseAtoms;
  }
}

function amountsOfReal(events: readonly VenueEvent[]): Amounts {
  const [first] = events;
  const none = { filledBaseAtoms: 0, filledNotionalAtoms: 0, feeAtoms: 0, fills: 0, worstPriceAtoms: 0 };
  if (first?.type === 'CommandRefused') return { ...none, reason: first.code } as Amounts;
  if (first?.type !== 'OrderAccepted') throw new Error(`expected OrderAccepted, got ${first?.type}`);
  const { order } = first;
  const fills = only(events, 'OrderFilled').filter((fill) => fill.order === order);
  const rest = only(events, 'OrderCancelled').find((it) => it.order === order);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  return {
    reason: rest?.reason ?? 'none',
    filledBaseAtoms: sum(fills.map((fill) => fill.quantityAtoms)),
    filledNotionalAtoms: sum(fills.map((fill) => fill.notionalAtoms)),
    feeAtoms: sum(fills.map((fill) => fill.feeAtoms)),
    fills: fills.length,
    worstPriceAtoms: fills.at(-1)?.priceAtoms ?? 0,
  } as Amounts;
}

function amountsOfPaper(event: PaperOrderPlaced): Amounts {
  const { reason, filledBaseAtoms, filledNotionalAtoms, feeAtoms, fills, worstPriceAtoms } = event;
  return { reason, filledBaseAtoms, filledNotionalAtoms, feeAtoms, fills, worstPriceAtoms };
}

function afterReal(ledger: PaperLedger, side: 'buy' | 'sell', real: Amounts): PaperLedger {
  const sign = side === 'buy' ? 1 : -1;
  return {
    positionBaseAtoms: (ledger.positionBaseAtoms + sign * real.filledBaseAtoms) as BaseAtoms,
    cashQuoteAtoms: (ledger.cashQuoteAtoms - sign * real.filledNotionalAtoms) as QuoteAtoms,
    feesQuoteAtoms: (ledger.feesQuoteAtoms + real.feeAtoms) as QuoteAtoms,
    fillCount: ledger.fillCount + real.fills,
  };
}

describe.each(Array.from({ length: SEEDS }, (_, place) => FIRST_SEED + place))('in world %i', (seed) => {
  test('fills a paper order as the same real one', () => {
    const repeat = `OPENPERP_PAPER_FIRST_SEED=${seed} OPENPERP_PAPER_SEEDS=1`;
    const random = seededRandom(seed);
    const world = new RandomWorld(seed, seed % 3 !== 0);
    const { scenario } = world;
    let identity = 1;
    let agent = new Agent(scenario, identity);
    const seen: Record<string, number> = { applied: 0, partially_applied: 0, refused: 0, reduceOnly: 0 };
    let skipped = 0;
    for (let count = 0; count < ORDERS; count += 1) {
      for (let steps = Math.floor(random() * 5); steps >= 0; steps -= 1) world.step();
      if (!agent.isEqual(scenario)) {
        identity += 1;
        agent = new Agent(scenario, identity);
      }
      if (random() < 0.2) restOwnOrder(scenario, agent, random);
      const [side, reduceOnly] = [random() < 0.5 ? 'buy' : 'sell', random() < 0.4] as const;
      const quantity = 1 + Math.floor(10 ** (random() * 4));
      const paper = placeOnPaper(scenario, agent, paperOrder(scenario.venue.state, side, quantity, { reduceOnly }), count);
      const real = placeReal(scenario, agent, side, quantity, reduceOnly, count);
      cancelOwnOrders(scenario, agent);
      if (OF_MARGIN.includes(real.reason)) {
        // The next order is of another account.
        agent.ledger = paper.ledger;
        skipped += 1;
        continue;
      }
      expect({ repeat, count, ...amountsOfPaper(paper) }).toEqual({ repeat, count, ...real });
      agent.ledger = afterReal(agent.ledger, side, real);
      expect({ repeat, count, ...paper.ledger }).toEqual({ repeat, count, ...agent.ledger });
      seen[paper.outcome]! += 1;
      if (reduceOnly && paper.fills > 0) seen.reduceOnly! += 1;
    }
    expect(skipped).toBeLessThan(ORDERS / 10);
    for (const number of Object.values(seen)) expect(number).toBeGreaterThan(0);
  });
});

function placeOnPaper(scenario: Scenario, { deployment }: Agent, order: PlacePaperOrder, count: number): PaperOrderPlaced {
  const barEpochMs = (1_800_000_000_000 + count * 60_000) as never;
  const [event] = scenario.run({ ...order, deployment: deployment as never, barEpochMs });
  if (event?.type !== 'PaperOrderPlaced') throw new Error(`expected PaperOrderPlaced, got ${JSON.stringify(event)}`);
  return event;
}

/** At the time of the paper order. The margin is the whole notional. */
function placeReal(
  scenario: Scenario,
  { owner }: Agent,
  side: PlaceOrder['side'],
  quantity: number,
  reduceOnly: boolean,
  count: number,
): Amounts {
  scenario.wait(-1);
  const options = { reduceOnly, leverageX: 1, clientOrderId: `real-${count}` };
  return amountsOfReal(scenario.market(owner.agentAccount, side, quantity, options));
}

/** A post-only order that the next order of the account may meet. */
function restOwnOrder(scenario: Scenario, { owner }: Agent, random: () => number): void {
  const mark = scenario.venue.state.market(BTC)!.markPriceAtoms;
  const side = random() < 0.5 ? 'buy' : 'sell';
  const price = Math.max(1, Math.floor(mark * (side === 'buy' ? 0.999 : 1.001)));
  const clientOrderId = `own-${scenario.sequence}`;
  scenario.limit(owner.agentAccount, side, price, 1 + Math.floor(random() * 20), { postOnly: true, leverageX: 1, clientOrderId });
}

function cancelOwnOrders(scenario: Scenario, { owner: { agentAccount } }: Agent): void {
  for (const order of scenario.venue.openOrders(agentAccount)) scenario.cancel(agentAccount, order);
}
