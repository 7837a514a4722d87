/** Compares what an auditor has rebuilt with the state of the venue: every balance, position, order, withdrawal and key. */
import type { VenueState } from '#venue/state.ts';
import { affiliateLine, referralLine } from './affiliates.ts';
import { agentAccountLine } from './agent-accounts.ts';
import { endedLine, fundingLine } from './agent-fundings.ts';
import { agentNumbersLine, deploymentLine, draftLine } from './agents.ts';
import { fail } from './audit-failed.ts';
import type { Auditor } from './auditor.ts';
import { flowLine } from './owner-money.ts';
import { ownerLine } from './owners.ts';
import { switchLines } from './switches.ts';
import { waitingLine } from './waiting-line.ts';

/** Throws `AuditFailed` with the first difference. */
export function compareState(auditor: Auditor, state: VenueState): void {
  const own = linesOfAuditor(auditor).sort();
  const venue = linesOfVenue(state).sort();
  const length = Math.max(own.length, venue.length);
  for (let place = 0; place < length; place += 1)
    if (own[place] !== venue[place]) fail('state', `the venue has (${venue[place]}), its events give (${own[place]})`);
}

function linesOfAuditor({
  money,
  positions,
  fundBudgets,
  orders,
  markets,
  accounts,
  keys,
  transfers,
  ownerMoney,
  switches,
  owners,
  agentAccounts,
  agents,
  affiliates,
  agentFundings,
  waiting,
}: Auditor): string[] {
  const lines = [`accounts ${accounts.count}`, `from outside ${money.fromOutside}`, ...switches.lines(), ...owners.lines()];
  lines.push(...fundBudgets.lines(), ...waiting.lines());
  lines.push(...ownerMoney.lines(), ...agentAccounts.lines(), ...agents.lines(), ...affiliates.lines(), ...agentFundings.lines());
  for (const [ledger, balance] of Object.entries(money.ledgers)) lines.push(`ledger ${ledger} ${balance}`);
  for (let account = 1; account <= accounts.count; account += 1)
    lines.push(
      `account ${account} cash ${money.cashOf(account)} reserved ${orders.reservedOf(account)} orders ` +
        `${orders.of(account).size} retired ${accounts.isRetired(account)} legacy ${accounts.isLegacy(account)} kyc ${accounts.kycSkippedAt(account)}`,
    );
  for (const [market, { account, ordinal, signedBase, entry, margin }] of positions.all())
    lines.push(
      `position ${ordinal} of ${account}/${market} ${signedBase} for ${entry} margin ${margin} owes ${fundBudgets.debtOf(ordinal)}`,
    );
  for (const { order, account, market, side, priceAtoms, remaining } of orders.all())
    lines.push(`order ${order} of ${account}/${market} ${side} ${remaining} at ${priceAtoms}`);
  for (const { listing, ownStatus, mark, index, funding } of markets.all())
    lines.push(
      `market ${listing.market} ${ownStatus} mark ${mark} index ${index.price} of ${index.observedAt} period ${funding.endsAt}`,
    );
  for (const [withdrawal, { account, amount }] of transfers.pending())
    lines.push(`withdrawal ${withdrawal} of ${account} ${amount}`);
  for (const [keyId, { account }] of keys.all()) lines.push(`key ${keyId} of ${account}`);
  return lines;
}

function linesOfVenue(state: VenueState): string[] {
  const {
    accounts,
    ledgers,
    markets,
    netDepositsAtoms,
    orders,
    withdrawals,
    apiKeyAccounts,
    switches,
    owners,
    settlement,
    agentAccounts,
    agents,
  } = state;
  const lines = [`accounts ${accounts.length - 1}`, `from outside ${netDepositsAtoms}`];
  lines.push(...switchLines(switches.boundEnvironment, switches.status, switches.switched, settlement.isGuarded));
  for (const owner of owners.byAccount.values()) lines.push(ownerLine({ ...owner, passkeys: [...owner.passkeys.values()] }));
  for (const agent of agentAccounts.all()) lines.push(agentAccountLine(agent));
  lines.push(agentNumbersLine(agents.lastDraft, agents.lastDeployment, agents.lastAction));
  for (const draft of agents.drafts.values()) lines.push(draftLine(draft));
  for (const deployment of agents.deployments.values()) lines.push(deploymentLine(deployment));
  for (const [ledger, balance] of Object.entries(ledgers)) lines.push(`ledger ${ledger} ${balance}`);
  for (const account of accounts) {
    if (account === undefined) continue;
    const { ordinal, cashAtoms, reservedAtoms, openOrders, isRetired, isLegacy, kycSkippedAtEpochMs } = account;
    lines.push(
      `account ${ordinal} cash ${cashAtoms} reserved ${reservedAtoms} orders ${openOrders} retired ${isRetired} legacy ${isLegacy} ` +
        `kyc ${kycSkippedAtEpochMs}`,
    );
    for (const position of account.positions) {
      if (position === undefined || position.signedBaseAtoms === 0) continue;
      const { market, signedBaseAtoms, entryNotionalAtoms, marginAtoms, insuredAtoms } = position;
      lines.push(
        `position ${position.ordinal} of ${ordinal}/${market} ${signedBaseAtoms} for ${entryNotionalAtoms} margin ${marginAtoms} owes ${insuredAtoms}`,
      );
    }
  }
  for (const slot of orders.slotsByAge())
    lines.push(
      `order ${orders.orderOf(slot)} of ${orders.accountOf(slot)}/${orders.marketOf(slot)} ${orders.sideOf(slot)} ` +
        `${orders.remainingOf(slot)} at ${orders.priceOf(slot)}`,
    );
  const due = markets.flatMap((market) => [...(market?.triggers.due() ?? [])]);
  for (const trigger of state.triggers.byOrder.values()) lines.push(waitingLine({ ...trigger, duePlace: due.indexOf(trigger) }));
  for (const market of markets)
    if (market !== undefined)
      lines.push(
        `market ${market.ordinal} ${market.status} mark ${market.markPriceAtoms} index ${market.index.acceptedPriceAtoms} of ` +
          `${market.index.acceptedAtEpochMs} period ${market.funding.endsAtEpochMs}`,
      );
  for (const market of markets)
    if (market !== undefined && market.fundUse.spentAtoms > 0)
      lines.push(`fund of market ${market.ordinal} paid ${market.fundUse.spentAtoms} on day ${market.fundUse.day}`);
  for (const market of markets)
    if (market !== undefined && market.fundUse.balanceAtoms !== 0)
      lines.push(`fund of market ${market.ordinal} has ${market.fundUse.balanceAtoms}`);
  for (const { withdrawal, account, amountAtoms } of withdrawals.values())
    lines.push(`withdrawal ${withdrawal} of ${account} ${amountAtoms}`);
  const { byAccount, referrers } = state.affiliates;
  for (const { account, affiliate, referralCode, shareBps, registeredAtEpochMs } of byAccount.values())
    lines.push(affiliateLine(account, affiliate, referralCode, shareBps, registeredAtEpochMs));
  for (const [account, referrer] of referrers) lines.push(referralLine(account, referrer));
  lines.push(...settlementLines(state), ...fundingLines(state));
  for (const [keyId, account] of apiKeyAccounts) lines.push(`key ${keyId} of ${account}`);
  return lines;
}

function fundingLines({ agentFundings }: VenueState): string[] {
  return [...[...agentFundings.open()].map(fundingLine), endedLine([...agentFundings.ended()].length)];
}

interface StoredFlow {
  readonly account: number;
  readonly amountAtoms: number;
  readonly step: string;
  readonly attempt: number;
  readonly isSubmitted: boolean;
}

function settlementLines({ settlement }: VenueState): string[] {
  const { intents, deposits, withdrawals, moneyIds, ledgerHead } = settlement;
  const flowOf = ({ account, amountAtoms: amount, step, attempt, isSubmitted }: StoredFlow) =>
    flowLine({ account, amount, due: step, attempt, isSubmitted });
  return [
    ...[...intents.values()].map((it) => `intent ${it.intent} of ${it.account} ${it.amountAtoms} by ${it.deposit}`),
    ...[...deposits.values()].map((it) => `deposit ${it.deposit} ${flowOf(it)}`),
    ...[...withdrawals.values()].map((it) => `owner withdrawal ${it.withdrawal} ${it.status} ${flowOf(it)}`),
    `money ids ${moneyIds.size}`,
    `ledger event ${ledgerHead.offset} ${ledgerHead.ledgerEventId}`,
  ];
}
