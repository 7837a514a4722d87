/** A readable listing of an episode: the stage, each second with the commands of the colluders and what followed, and the flows. */
import { leverageXOf } from '#units/leverage.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { type Episode, pathsOf, play, textOf } from './episode.ts';
import { SEARCHED_MARKET, USD } from './market.ts';
import { type Stage, stageOf } from './stage.ts';
import { COLLUDERS, type Table } from './table.ts';
import type { Flows } from './takings.ts';

/** The words for the flows, in the order of a listing. */
const FLOWS: Readonly<Record<keyof Flows, string>> = {
  covered: 'the fund pays for closes, less what is repaid',
  fundedByFund: 'the fund pays for funding',
  liquidated: 'from strangers whose liquidation was not due',
  deleveraged: 'from deleveraged strangers and makers',
  unpaidFees: 'liquidation fees due and not paid',
  misratedFunding: 'funding by a rate that the whole book does not have',
  tradeFees: 'trade fees',
  liquidationFees: 'liquidation fees',
  exitFees: 'fees of closing what is open',
  owed: 'what open positions owe to the fund and can repay',
  marketLosses: 'losses to makers and by due liquidations',
  indexLosses: 'losses of the net position by the index',
  market: '(all fills with makers and due liquidations)',
  index: '(all moves of the index)',
  funding: '(all funding)',
};

export function commandOf(episode: Episode, rules: RiskRules): string {
  const off = Object.entries(rules).filter(([name, isOn]) => !isOn && RISK_RULES[name as keyof RiskRules]);
  const variable = off.length === 0 ? '' : `OPENPERP_SEARCHER_OFF=${off.map(([name]) => name).join(',')} `;
  return `OPENPERP_SEARCHER_EPISODE='${textOf(episode)}' ${variable}npm test -- engine/simulation/searcher`;
}

export function reportOf(episode: Episode, rules: RiskRules): string {
  const stage = stageOf(episode.stage, pathsOf(episode));
  const lines: string[] = [];
  const { score, flows } = play(episode, rules, (table) => {
    table.observe = (command, events) => lines.push(...linesOf(table, command, events));
  });
  return [
    `the colluders take ${dollars(score)}`,
    `to repeat: ${commandOf(episode, rules)}`,
    `a lot is 10^-${SEARCHED_MARKET.quantityScale} of the underlying, a tick 10^-${SEARCHED_MARKET.priceScale} dollars`,
    ...stageLines(stage),
    ...lines,
    ...(Object.keys(FLOWS) as (keyof Flows)[])
      .filter((flow) => flows[flow] !== 0)
      .map((flow) => `${dollars(flows[flow]).padStart(16)}  ${FLOWS[flow]}`),
  ].join('\n');
}

function stageLines({ path, strangers, levels, premiumBps, isAtMidnight }: Stage): string[] {
  const quotes = levels.map(({ offsetBps, usd }) => `${usd / 1_000}k at ${offsetBps} bps`).join(', ') || 'no quotes';
  const positions = strangers.map(
    ({ isLong, usd, leverageX }) => `${isLong ? 'long' : 'short'} ${usd / 1_000}k at ${leverageX} ×`,
  );
  return [
    `path: ${path}${isAtMidnight ? ', over midnight' : ''}; makers: ${quotes}${premiumBps === 0 ? '' : `, ${premiumBps} bps from the index`}`,
    `accounts 1 to ${COLLUDERS} collude, ${COLLUDERS + 1} makes the market, strangers follow: ${positions.join(', ')}`,
  ];
}

function linesOf(table: Table, command: Command, events: readonly VenueEvent[]): string[] {
  const isOfColluder = 'account' in command && (command.account as number) <= COLLUDERS;
  const details = events.flatMap(detailOf);
  if (command.type === 'PublishIndexPrice')
    return [`second ${table.second + 1}: index ${command.priceAtoms}, mark ${table.market.markPriceAtoms}`, ...details];
  return isOfColluder || details.length > 0 ? [`  ${textOfCommand(command)}${outcomeOf(events)}`, ...details] : [];
}

function textOfCommand(command: Command): string {
  switch (command.type) {
    case 'PlaceOrder': {
      const { account, side, terms, reduceOnly, leverageHundredths, trigger, attached } = command;
      const price = terms.kind === 'limit' ? `at ${terms.priceAtoms}` : 'at the market';
      const lots = 'quantityAtoms' in terms ? terms.quantityAtoms : 0;
      const extent = reduceOnly ? 'reduce-only' : leverageHundredths === 0 ? '' : `${leverageXOf(leverageHundredths)} ×`;
      const waiting = trigger === undefined ? '' : ` when ${trigger.source} reaches ${trigger.priceAtoms}`;
      const form = terms.kind !== 'limit' ? '' : terms.postOnly ? ' post-only' : ` ${terms.timeInForce ?? ''}`.trimEnd();
      const legs = Object.entries(attached ?? {}).map(
        ([name, leg]) => `, ${name} at ${leg.triggerPriceAtoms} of the ${leg.source}`,
      );
      return `${account}: ${side} ${lots} ${price} ${extent}`.trimEnd() + form + waiting + legs.join('');
    }
    case 'PlaceOrders': {
      const [first] = command.entries;
      const price = first?.terms.kind === 'limit' ? first.terms.priceAtoms : 0;
      return `${command.account}: ${command.entries.length} orders, the first to ${first?.side} at ${price}`;
    }
    case 'CancelOrders':
      return `${command.account}: cancel ${command.orders.length}`;
    case 'SetLeverage':
      return `${command.account}: leverage of ${leverageXOf(command.leverageHundredths)} ×`;
    case 'AmendOrder':
      return `${command.account}: amend to ${command.quantityAtoms} at ${command.priceAtoms}`;
    case 'AdjustPositionMargin':
      return `${command.account}: ${command.direction} ${dollars(command.amountAtoms)} of margin`;
    case 'TransferCash':
      return `${command.account}: transfer ${dollars(command.amountAtoms)} to ${command.to}`;
    default:
      return command.type;
  }
}

function outcomeOf([first]: readonly VenueEvent[]): string {
  return first?.type === 'CommandRefused' ? ` -> refused: ${first.code}` : '';
}

function detailOf(event: VenueEvent): string[] {
  switch (event.type) {
    case 'LiquidationStarted':
      return [
        `    liquidation of ${event.account}: equity ${dollars(event.equityAtoms)}, bankrupt at ${event.bankruptcyPriceAtoms}`,
      ];
    case 'TradeExecuted':
      return [`    trade (${event.origin}): ${event.quantityAtoms} at ${event.priceAtoms}`];
    case 'OrderFilled':
      return [`      ${event.account} ${event.side === 'buy' ? 'buys' : 'sells'}, fee ${dollars(event.feeAtoms)}`];
    case 'FundingSettled':
      return [`    funding at ${event.ratePpb} ppb`];
    case 'CashPosted': {
      const isOfVenue = /cover|liquidation_fee/.test(event.kind);
      return isOfVenue ? [`      ${event.account}: ${event.kind} ${dollars(event.amountAtoms)}`] : [];
    }
    default:
      return [];
  }
}

/** Dollars and cents, rounded. */
function dollars(atoms: number): string {
  return (atoms / USD).toFixed(2);
}
