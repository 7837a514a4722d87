import { describe, expect, test } from 'vitest';
import { BTC, FINE_MARKET, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, QuoteAtoms } from '#units/money.ts';
import { MAX_MATCH_STEPS } from '#venue/order/match-plan.ts';
import type { Agents } from './agents.ts';
import { EMPTY_LEDGER } from './paper-ledger.ts';
import { MAX_BAR_ORDERS } from './paper-trading.ts';
import { BAR, change, deploymentIn, paperOrder, running, trade } from './testing/agents.ts';

const UNIT = 1_000;
const refused = (code: string) => [{ type: 'CommandRefused', code }];

/** Two makers, with 1 and 2 BTC to sell at 1,000.0 and 1,001.0, and 1 BTC to buy at 999.0; and a running deployment. */
function withBook() {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.limit(2, 'sell', 10_010, 2 * UNIT);
  scenario.limit(1, 'buy', 9_990, UNIT);
  return { scenario, owner: running(scenario) };
}

describe('a paper order', () => {
  test('fills against the book, and carries the ledger after it', () => {
    const { scenario, owner } = withBook();
    const order = {
      deployment: 1 as AgentDeploymentOrdinal,
      barEpochMs: BAR,
      index: 0,
      kind: 'entry',
      signal: 'long',
      side: 'buy',
      quantityAtoms: 1_500 as BaseAtoms,
      reduceOnly: false,
    } as const;
    const [event] = scenario.run({ type: 'PlacePaperOrder', ...order });
    expect(event).toEqual({
      type: 'PaperOrderPlaced',
      action: 2,
      account: owner.account,
      market: BTC,
      ...order,
      outcome: 'applied',
      reason: 'none',
      filledBaseAtoms: 1_500,
      // 1 BTC at 1,000.0 and half of one at 1,001.0, and 5 bps of each.
      filledNotionalAtoms: 1_500_500_000,
      feeAtoms: 500_000 + 250_250,
      fills: 2,
      worstPriceAtoms: 10_010,
      markPriceAtoms: 10_000,
      ledger: { positionBaseAtoms: 1_500, cashQuoteAtoms: -1_500_500_000, feesQuoteAtoms: 750_250, fillCount: 2 },
    });
    expect(trade(scenario, 'sell', 500, { kind: 'exit' })).toMatchObject({
      filledNotionalAtoms: 499_500_000,
      feeAtoms: 249_750,
      ledger: { positionBaseAtoms: 1_000, cashQuoteAtoms: -1_001_000_000, feesQuoteAtoms: 1_000_000, fillCount: 3 },
    });
  });

  test('changes neither book nor cash nor positions: the next one meets the same orders', () => {
    const { scenario, owner } = withBook();
    const before = scenario.venue.audit();
    const first = trade(scenario, 'buy', UNIT);
    expect(trade(scenario, 'buy', UNIT)).toMatchObject({
      filledNotionalAtoms: first.filledNotionalAtoms,
      worstPriceAtoms: 10_000,
    });
    const { agentDeployments: _, numbers: __, ...after } = scenario.venue.audit();
    expect(before).toMatchObject(after);
    expect(scenario.venue.state.account(owner.agentAccount)).toMatchObject({ cashAtoms: 0, reservedAtoms: 0 });
    expect(scenario.venue.state.lastTrade).toBe(0);
  });

  test('fills partly to the end of the band, and of the book', () => {
    const { scenario } = withBook();
    expect(trade(scenario, 'buy', 4 * UNIT)).toMatchObject({
      outcome: 'partially_applied',
      reason: 'no_liquidity',
      filledBaseAtoms: 3 * UNIT,
    });
    scenario.limit(1, 'sell', 10_950, UNIT);
    // The band of 10 % around the lower mark ends below that order.
    scenario.price(9_900);
    expect(trade(scenario, 'buy', 4 * UNIT)).toMatchObject({ outcome: 'partially_applied', reason: 'price_band' });
  });

  test('skips the own orders of its agent account', () => {
    const { scenario, owner } = withBook();
    scenario.run({ type: 'CreditCash', account: owner.agentAccount, amountAtoms: 1e10 as QuoteAtoms, reference: '' });
    scenario.limit(owner.agentAccount, 'sell', 9_995, UNIT);
    expect(trade(scenario, 'buy', UNIT)).toMatchObject({ outcome: 'applied', worstPriceAtoms: 10_000 });
    expect(scenario.venue.state.account(owner.agentAccount)!.openOrders).toBe(1);
  });

  test('meets at most as many resting orders as a real one', () => {
    const scenario = Scenario.withAccounts(3);
    scenario.snapshotEvery = 10_000;
    for (let count = 0; count <= MAX_MATCH_STEPS; count += 1) scenario.limit((count % 3) + 1, 'sell', 10_000, 1);
    running(scenario);
    expect(trade(scenario, 'buy', UNIT + 1)).toMatchObject({
      outcome: 'partially_applied',
      reason: 'fill_limit',
      filledBaseAtoms: MAX_MATCH_STEPS,
      fills: MAX_MATCH_STEPS,
    });
  });

  test('rounds the fee of each fill by itself, toward zero', () => {
    const scenario = Scenario.withAccounts(1, FINE_MARKET);
    for (let count = 0; count < 3; count += 1) scenario.limit(1, 'sell', 10_001, 1);
    running(scenario);
    // 5 bps of 10,001 atoms are 5.0005 for each fill.
    expect(trade(scenario, 'buy', 3)).toMatchObject({ filledNotionalAtoms: 30_003, feeAtoms: 15 });
  });

  describe('that only reduces', () => {
    test('is cut to the position', () => {
      const { scenario } = withBook();
      trade(scenario, 'buy', 300);
      expect(trade(scenario, 'sell', 500, { reduceOnly: true })).toMatchObject({
        outcome: 'partially_applied',
        reason: 'reduce_only',
        filledBaseAtoms: 300,
        ledger: { positionBaseAtoms: 0 },
      });
    });

    test('is refused without a position on the other side', () => {
      const { scenario } = withBook();
      const would = { outcome: 'refused', reason: 'reduce_only_would_increase' };
      expect(trade(scenario, 'sell', 500, { reduceOnly: true })).toMatchObject(would);
      trade(scenario, 'buy', 300);
      expect(trade(scenario, 'buy', 500, { reduceOnly: true })).toMatchObject(would);
    });

    test('still fills in a market that permits only reducing, against orders that reduce too', () => {
      const { scenario } = withBook();
      trade(scenario, 'buy', 300);
      scenario.market(2, 'sell', UNIT, { reduceOnly: false });
      scenario.limit(2, 'buy', 9_985, UNIT);
      scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'reduce_only' });
      expect(trade(scenario, 'buy', 300)).toMatchObject({ outcome: 'refused', reason: 'market_reduce_only' });
      expect(trade(scenario, 'sell', 300, { reduceOnly: true })).toMatchObject({ outcome: 'applied', worstPriceAtoms: 9_985 });
    });
  });
});

describe('the market refuses, and the log says so, with the ledger as before', () => {
  const refusedWith = (reason: string) => ({
    outcome: 'refused',
    reason,
    filledBaseAtoms: 0,
    filledNotionalAtoms: 0,
    feeAtoms: 0,
    fills: 0,
    worstPriceAtoms: 0,
    ledger: EMPTY_LEDGER,
  });

  test('without a first price', () => {
    const scenario = new Scenario();
    scenario.run({ type: 'ListMarket', specification: FINE_MARKET, status: 'open' });
    running(scenario);
    expect(trade(scenario, 'buy', 10)).toMatchObject({ ...refusedWith('mark_price_unavailable'), markPriceAtoms: 0 });
  });

  test('while it is not open, whatever the reason', () => {
    const { scenario } = withBook();
    scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
    expect(trade(scenario, 'buy', 10)).toMatchObject(refusedWith('market_not_open'));
    scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(trade(scenario, 'buy', 10)).toMatchObject(refusedWith('market_not_open'));
    scenario.run({ type: 'SetVenueStatus', status: 'intake_paused' });
    expect(trade(scenario, 'buy', 10)).toMatchObject(refusedWith('market_reduce_only'));
    scenario.run({ type: 'SetVenueStatus', status: 'open' });
    scenario.wait(4_000_000);
    expect(trade(scenario, 'buy', 10)).toMatchObject(refusedWith('index_not_current'));
  });

  test('with a quantity that no order may have', () => {
    const { scenario } = withBook();
    for (const quantity of [0, -1, 500_001])
      expect(trade(scenario, 'buy', quantity)).toMatchObject(refusedWith('quantity_out_of_bounds'));
  });

  test('without orders on the other side', () => {
    const scenario = Scenario.withAccounts(0);
    running(scenario);
    expect(trade(scenario, 'buy', 10)).toMatchObject(refusedWith('no_liquidity'));
  });

  test('beyond the size of a real position', () => {
    const { scenario } = withBook();
    for (const [size, further, back] of [
      [8 * 500_000, 'buy', 'sell'],
      [-8 * 500_000, 'sell', 'buy'],
    ] as const) {
      const positionBaseAtoms = size as BaseAtoms;
      setLedger(scenario, { ...EMPTY_LEDGER, positionBaseAtoms });
      const refusal = { outcome: 'refused', reason: 'position_limit', ledger: { positionBaseAtoms } };
      expect(trade(scenario, further, 1)).toMatchObject(refusal);
      expect(trade(scenario, back, 1)).toMatchObject({ outcome: 'applied' });
    }
  });

  test('beyond the exact integers of the paper ledger', () => {
    const { scenario } = withBook();
    const most = Number.MAX_SAFE_INTEGER as QuoteAtoms;
    for (const [side, ledger] of [
      ['sell', { ...EMPTY_LEDGER, cashQuoteAtoms: most }],
      ['buy', { ...EMPTY_LEDGER, cashQuoteAtoms: (0 - most) as QuoteAtoms }],
      ['buy', { ...EMPTY_LEDGER, feesQuoteAtoms: most }],
    ] as const) {
      setLedger(scenario, ledger);
      expect(trade(scenario, side, UNIT)).toMatchObject({ outcome: 'refused', reason: 'paper_limit', fills: 0, ledger });
    }
  });

  function setLedger({ venue }: Scenario, ledger: typeof EMPTY_LEDGER): void {
    const { deployments } = venue.state.agents as Agents;
    const open = deploymentIn(venue.state.agents)!;
    deployments.set(open.deployment, { ...open, ledger });
  }
});

describe('the command', () => {
  test('places nothing twice: each order is of a later bar, or a later one of the bar', () => {
    const { scenario } = withBook();
    const at = (barEpochMs: number, index: number) => ({ barEpochMs: barEpochMs as EpochMs, index });
    trade(scenario, 'buy', 1, at(BAR, 1));
    for (const place of [at(BAR, 1), at(BAR, 0), at(BAR - 60_000, 2), at(-1, 0)])
      expect(scenario.run(paperOrder(scenario.venue.state, 'buy', 1, place))).toMatchObject(refused('agent_order_repeated'));
    expect(trade(scenario, 'buy', 1, at(BAR, 2))).toMatchObject({ ledger: { fillCount: 2 } });
    expect(trade(scenario, 'buy', 1, at(BAR + 60_000, 0))).toMatchObject({ ledger: { fillCount: 3 } });
  });

  test('is refused with a place or a signal that is out of bounds', () => {
    const { scenario } = withBook();
    for (const changes of [{ index: MAX_BAR_ORDERS }, { index: -1 }, { signal: 'x'.repeat(65) }])
      expect(scenario.run(paperOrder(scenario.venue.state, 'buy', 1, changes))).toMatchObject(refused('agent_order_invalid'));
  });

  test('is refused before the deployment runs, and after its end', () => {
    const { scenario, owner } = withBook();
    scenario.run(change(1, 'stopped', 2));
    expect(scenario.run(paperOrder(scenario.venue.state, 'buy', 1))).toMatchObject(refused('agent_deployment_ended'));
    const other = { deployment: 2 as never };
    expect(scenario.run(paperOrder(scenario.venue.state, 'buy', 1, other))).toMatchObject(refused('agent_deployment_not_found'));
    const terms = { timeframeMs: 60_000, historyBars: 1, orderSizeAtoms: 1 as BaseAtoms, parameters: '{}' };
    const strategy = { strategySource: 'a', strategyVersion: '1', modelId: 'b' };
    scenario.run({ type: 'CreateAgentDeployment', ...owner, draft: 1 as never, market: BTC, ...terms, ...strategy });
    expect(scenario.run(paperOrder(scenario.venue.state, 'buy', 1, other))).toMatchObject(refused('agent_state_conflict'));
  });

  test('is refused while agents are off, and when the owner is not ready any more', () => {
    const { scenario, owner } = withBook();
    const order = () => scenario.run(paperOrder(scenario.venue.state, 'buy', 1));
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    expect(order()).toMatchObject(refused('capability_unavailable'));
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: true });
    const revoked = { type: 'RecordPartyConsent', consent: 'revoked', reason: 'by the owner' } as const;
    scenario.run({ ...revoked, account: owner.account, consentId: `consent-${owner.account}` });
    expect(order()).toMatchObject(refused('agent_account_not_ready'));
    scenario.run({ type: 'RetireAccount', account: owner.agentAccount as AccountOrdinal });
    expect(order()).toMatchObject(refused('agent_deployment_ended'));
  });
});
