/** Formats the results of the journal commands: as lines and tables for people, and as JSON. */
import { renderDecimal } from '#units/decimal.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { AccountView } from '#writer/journal-tool/account-view.ts';
import type { BalanceMove } from '#writer/journal-tool/balance-moves.ts';
import type { CashMove, InspectedRecord } from '#writer/journal-tool/inspection.ts';
import { gapRecordsText, gapSegmentsText, type JournalGap } from '#writer/journal-tool/journal-gap.ts';
import type { ReplayReport } from '#writer/journal-tool/offline-replay.ts';
import type { UpgradeReport } from '#writer/journal-tool/rules-upgrade.ts';
import type { SnapshotFinding } from '#writer/journal-tool/snapshot-examination.ts';
import { isAhead, VERIFIED, type VerificationReport, verifiedRemarks, verifiedStatus } from './journal-verdict.ts';
import { textTable } from './text-table.ts';

const moment = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'UTC',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

const FINDINGS: Readonly<Record<SnapshotFinding['state'], string>> = {
  sound: 'sound, from this journal',
  damaged: 'DAMAGED',
  foreign: 'NOT FROM THIS JOURNAL: the venue does not start until it is moved away',
  ahead: 'KNOWS RECORDS THAT THE JOURNAL LACKS: the venue does not start until they are restored',
  not_verified: 'not verified: it belongs to a part of the journal that is not here',
};

const UNTOLD: Readonly<Record<NonNullable<VerificationReport['projectionUntold']>, string>> = {
  unusable: 'damaged, or of another version: a start rebuilds it',
  in_use: 'not read: it is being opened or closed now, or a part of it was lost',
};

const LINE_WIDTH = 120;

/** Digests as hex; all other values unchanged. */
export function dataText(found: object): string {
  return JSON.stringify(found, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value), 2);
}

export function verificationText(found: VerificationReport): string {
  const { groupCount, byteLength, segmentNames } = found;
  const archived = segmentNames.filter((name) => name.includes('/')).length;
  const times = [found.firstEpochMs, found.lastEpochMs].map((epochMs) => (epochMs === undefined ? '-' : timeText(epochMs)));
  return [
    headline(found),
    '',
    ...textTable([
      ['records', found.recordCount === 0 ? 'none' : `${rangeText(found)}, in ${groupCount} groups`],
      ['digest', found.chainDigest],
      ['time', `${times[0]} to ${times[1]}`],
      ['segments', `${segmentNames.length}, of which ${archived} archived; ${byteLength} bytes`],
      ...found.rules.map((span) => [`rules ${span.rulesVersion}`, `records ${span.firstSequence} to ${span.lastSequence}`]),
      ...found.snapshots.map(({ sequence: after, state }) => [`snapshot ${after}`, FINDINGS[state]]),
      ...projectionRows(found),
    ]),
    ...verifiedRemarks(found).flatMap((remark) => ['', ...broken(remark)]),
  ].join('\n');
}

function headline(found: VerificationReport): string {
  const isComplete = found.gaps.length === 0;
  const whole = `${isComplete ? 'The journal is complete' : 'The part of the journal that is here is sound'}: each record is as it was written.`;
  const status = verifiedStatus(found);
  if (status === VERIFIED.whole) return whole;
  return `${whole} ${isComplete ? 'But there are problems, see below' : 'But parts are missing, see below'} (status ${status}).`;
}

function rangeText({ afterSequence, sequence, gaps }: VerificationReport): string {
  const missing = gaps.filter(({ isBeginning }) => !isBeginning).map((gap: JournalGap) => gapRecordsText(gap));
  return `${afterSequence + 1} to ${sequence}${missing.length === 0 ? '' : ` but for ${missing.join(', ')}`}`;
}

function projectionRows(found: VerificationReport): string[][] {
  const { projectionUntold, projectionSequence: read } = found;
  if (projectionUntold !== undefined) return [['projection', UNTOLD[projectionUntold]]];
  if (read === undefined) return [];
  const ahead = `${read}: IT KNOWS RECORDS THAT THE JOURNAL LACKS, the venue does not start until they are restored`;
  return [['projection', isAhead(found) ? ahead : `${read}`]];
}

/** One line per gap that was not read; empty if everything was read. */
export function unreadText(gaps: readonly JournalGap[]): string {
  const unread = gaps.filter(({ firstSequence, lastSequence }) => firstSequence <= lastSequence);
  return unread
    .map((gap) => `Not here: ${gapRecordsText(gap)}, in ${gapSegmentsText(gap)}. Their effects are not shown.`)
    .join('\n');
}

export function recordsText(records: readonly InspectedRecord[], gaps: readonly JournalGap[]): string {
  if (records.length === 0)
    return gaps.length === 0 ? 'There is no such record.' : 'There is no such record in the part that is here.';
  return records.map(recordText).join('\n\n');
}

function recordText(record: InspectedRecord): string {
  const { sequence, epochMs, command, events, rulesVersion, segment, offset, isKeyed, digest } = record;
  const key = isKeyed ? ', with an idempotency key' : '';
  return [
    `record ${sequence}  ${timeText(epochMs)}  rules ${rulesVersion}${key}  (${segment} at byte ${offset})`,
    `  sha256:${digest}`,
    `  ${command.type}  ${fieldsText(command)}`,
    ...events.map((event) => `    ${event.type}  ${fieldsText(event)}`),
  ].join('\n');
}

function fieldsText(it: object): string {
  const fields = Object.entries(it).filter(([name]) => name !== 'type');
  return fields.map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');
}

export function cashMovesText(
  moves: readonly CashMove[],
  account: AccountOrdinal,
  limit: number,
  gaps: readonly JournalGap[],
): string {
  const id = renderAccountId(account);
  const last = moves.at(-1);
  if (last === undefined) return `The cash of ${id} never changed${inAvailableRecords(gaps)}.`;
  const rows = moves.map((move) => [
    String(move.sequence),
    timeText(move.epochMs),
    move.kind,
    moneyText(move.amountAtoms),
    moneyText(move.cashAtoms),
    `${causeText(move)}${idsText(move)}${move.isUnexplained ? '  THE BALANCE BEFORE AND THE AMOUNT DO NOT ADD UP TO THIS' : ''}`,
  ]);
  const lines = textTable([['record', 'time (UTC)', 'kind', 'amount', 'cash', 'came of'], ...rows], [0, 3, 4]);
  const shown = moves.length === limit ? ` The ${limit} newest postings are shown; --limit shows more.` : '';
  return [...lines, '', `After record ${last.sequence} the cash of ${id} is ${moneyText(last.cashAtoms)} USD.E.${shown}`].join(
    '\n',
  );
}

function idsText({ ids }: CashMove): string {
  return ids.length === 0 ? '' : `, ids ${ids.join(' ')}`;
}

/** Postings of a ledger, or of an account's margin or funding. */
export function balanceMovesText(
  moves: readonly BalanceMove[],
  balance: string,
  account: AccountOrdinal | undefined,
  limit: number,
  gaps: readonly JournalGap[],
): string {
  const owner = account === undefined ? balance : `${balance} of ${renderAccountId(account)}`;
  const last = moves.at(-1);
  if (last === undefined) return `There was no posting${inAvailableRecords(gaps)}: ${owner}.`;
  const rows = moves.map((move) => [
    String(move.sequence),
    timeText(move.epochMs),
    move.kind,
    knownText(move.amountAtoms),
    knownText(move.balanceAtoms),
    `${sourceText(move)}${move.isUnexplained ? '  THE BALANCE BEFORE AND THE AMOUNT DO NOT ADD UP TO THIS' : ''}`,
  ]);
  const lines = textTable([['record', 'time (UTC)', 'kind', 'amount', 'balance', 'came of'], ...rows], [0, 3, 4]);
  const shown = moves.length === limit ? ` The ${limit} newest are shown; --limit shows more.` : '';
  return [...lines, '', `${balanceText(moves, last)}: ${owner}.${shown}`].join('\n');
}

function balanceText(moves: readonly BalanceMove[], { sequence, balanceAtoms }: BalanceMove): string {
  if (balanceAtoms !== undefined) return `After record ${sequence} the balance is ${moneyText(balanceAtoms)} USD.E`;
  const shown = moves.reduce((sum, { amountAtoms }) => sum + (amountAtoms ?? 0), 0);
  return `Earlier postings are unknown, and so is the balance: the amounts shown add up to ${moneyText(shown)} USD.E`;
}

function inAvailableRecords(gaps: readonly JournalGap[]): string {
  return gaps.length === 0 ? '' : ' in the part that is here';
}

function knownText(atoms: number | undefined): string {
  return atoms === undefined ? 'not known' : moneyText(atoms);
}

function sourceText({ command, account, reference }: BalanceMove): string {
  const owner = account === undefined ? '' : ` of ${renderAccountId(account)}`;
  return `${command}${owner}${reference === undefined ? '' : `, reference ${reference}`}`;
}

function causeText({ command, by, reference, after }: CashMove): string {
  const owner = by === undefined ? '' : ` of ${renderAccountId(by)}`;
  const referenceText = reference === undefined ? '' : `, reference ${reference}`;
  const happened = after === undefined || after.type === 'OrderAccepted' ? '' : `${happeningText(after)}, `;
  return `${happened}${command}${owner}${referenceText}`;
}

function happeningText(event: NonNullable<CashMove['after']>): string {
  const { order, trade, period } = event as { order?: number; trade?: number; period?: number };
  const named = [order && `order ${order}`, trade && `trade ${trade}`, period && `period ${period}`].filter(Boolean);
  return [event.type, ...named].join(' ');
}

export function replayText(report: ReplayReport, account: AccountView | undefined): string {
  const { afterSequence, sequence, rerunCount, stateDigest, confirmedSnapshots } = report;
  const startedAt = afterSequence === 0 ? 'from the start' : `from the state after record ${afterSequence}`;
  const lines = [
    `${rerunCount} commands were replayed ${startedAt} up to record ${sequence}: each produced the events in the journal, byte for byte.`,
    '',
    ...textTable([['state', stateDigest], ...confirmedSnapshots.map((name) => ['as saved', name])]),
  ];
  return account === undefined ? lines.join('\n') : [...lines, '', ...accountLines(account)].join('\n');
}

function accountLines({ account, label, isRetired, cashAtoms, reservedAtoms, positions, openOrders }: AccountView): string[] {
  const heading = `${renderAccountId(account)}${label === '' ? '' : ` (${label})`}${isRetired ? ', retired' : ''}`;
  const positionRows = positions.map(({ specification, signedBaseAtoms, entryNotionalAtoms, marginAtoms }) => [
    specification.marketId,
    renderDecimal(signedBaseAtoms, specification.quantityScale),
    moneyText(entryNotionalAtoms),
    moneyText(marginAtoms),
  ]);
  const orderRows = openOrders.map(({ order, specification, side, priceAtoms, remainingAtoms, reduceOnly }) => [
    String(order),
    specification.marketId,
    side,
    renderDecimal(priceAtoms, specification.priceScale),
    renderDecimal(remainingAtoms, specification.quantityScale),
    reduceOnly ? 'reduce-only' : '',
  ]);
  return [
    heading,
    ...textTable([['cash', `${moneyText(cashAtoms)} USD.E, of which open orders reserve ${moneyText(reservedAtoms)}`]]),
    '',
    ...(positionRows.length === 0
      ? ['no position']
      : textTable([['position', 'quantity', 'entry', 'margin'], ...positionRows], [1, 2, 3])),
    '',
    ...(orderRows.length === 0
      ? ['no open orders']
      : textTable([['order', 'market', 'side', 'price', 'remaining', ''], ...orderRows], [0, 3, 4])),
  ];
}

export function upgradeText({ sequence, fromRules, toRules, isResumed }: UpgradeReport): string {
  const how = isResumed ? 'An interrupted upgrade is now complete' : 'The journal is upgraded';
  return (
    `${how}: records up to ${sequence} were made by version ${fromRules} of the rules and were verified; later records use ` +
    `version ${toRules}. Start the venue as usual.`
  );
}

function moneyText(atoms: number): string {
  return renderDecimal(atoms, SETTLEMENT_DECIMALS);
}

function timeText(epochMs: number): string {
  return moment.format(epochMs).replace(',', '.');
}

/** Wraps text to the width of a terminal. */
function broken(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
