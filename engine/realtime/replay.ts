/** The updates of a subscription since a sequence, made again of what is kept of the records: the same that were sent then. */
import type { PriceProvider } from '#contract/realtime-market.ts';
import type { LiveModel } from '#projection/live-model.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import { accountsToldOf, accountUpdate } from './account-updates.ts';
import { PastView } from './account-views.ts';
import { candlesData, isRecordChannel, recordUpdate } from './market-updates.ts';
import { touchedMarks } from './position-updates.ts';
import type { Subject, Update } from './topic.ts';

/** Of topics whose newest state is sent anyway there are none. */
export function* replayed(
  model: LiveModel,
  subject: Subject,
  records: readonly RecordChanges[],
  provider: PriceProvider,
): Generator<Update> {
  if ('account' in subject) {
    const view = new PastView(model, subject.account, records);
    for (const changes of records) {
      view.advance(changes);
      const isTouched =
        accountsToldOf(changes).has(subject.account) || touchedMarks(changes, model).size > 0 || changes.markets.length > 0;
      const data = isTouched && view.isOpened ? accountUpdate(subject.channel, changes, view) : undefined;
      if (data !== undefined) yield { sequence: changes.sequence, epochMs: changes.epochMs, data };
    }
    return;
  }
  const { channel, market } = subject;
  if (isRecordChannel(channel)) {
    for (const changes of records) {
      const data = recordUpdate(channel, changes, market, provider);
      if (data !== undefined) yield { sequence: changes.sequence, epochMs: changes.epochMs, data };
    }
  }
  if (channel === 'market.candles') yield* replayedCandles(model, subject, records);
}

/** All that have changed since, in one update: each replaces the one of its open time. */
function* replayedCandles(
  model: LiveModel,
  { market, series, timeframe }: Extract<Subject, { channel: 'market.candles' | `market.${string}` }>,
  records: readonly RecordChanges[],
): Generator<Update> {
  const isOwn = ({ observed }: RecordChanges) => observed.some((it) => it.market === market.market && it.series === series);
  const [first, last] = [records.find(isOwn), records.findLast(isOwn)];
  if (first === undefined || last === undefined) return;
  const data = candlesData(model, market, { series: series!, timeframe: timeframe! }, first.epochMs);
  if (data !== undefined) yield { sequence: last.sequence, epochMs: last.epochMs, data };
}
