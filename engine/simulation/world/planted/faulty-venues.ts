/** Venues with one planted fault each, and the finding that a world must report. */

import { mapJournal } from '#simulation/world/journal-map.ts';
import type { Plant } from '#simulation/world/venue-life.ts';
import type { AccountOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { OrderRested, VenueEvent } from '#venue/event.ts';
import { UNSTORED_REFUSALS } from '#venue/refusal.ts';
import type { Files, StorageFile } from '#writer/journal/files.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedRecord, Outcome, Submit, UnrecordedRefusal } from '#writer/port/submit.ts';
import type { Tamper } from './tampered-rules.ts';
import { tamperedRules } from './tampered-rules.ts';

export interface FaultyVenue {
  readonly fault: string;
  /** Called once for each world. */
  readonly plant: () => Plant;
  /** The message of the world. */
  readonly finding: RegExp;
}

export const FAULTY_VENUES: readonly FaultyVenue[] = [
  { fault: 'a response before the sync', plant: respondsEarly, finding: /was answered before it was durable/ },
  { fault: 'a sync that lies', plant: syncsLie, finding: /was published, and is gone after a restart/ },
  { fault: 'a journal that loses its last group', plant: losesLastGroup, finding: /was published, and is gone after a restart/ },
  {
    fault: 'a record that is not published',
    plant: dropsRecord,
    finding: /record \d+ was published after record \d+/,
  },
  {
    fault: 'a refusal before the records that it was decided from are durable',
    plant: refusesEarly,
    finding: /a refusal after record \d+ was answered before that record was durable/,
  },
  {
    fault: 'a refusal that leaves a trace',
    plant: refusalLeavesTrace,
    finding: /the state after record \d+ is not what its commands result in/,
  },
  {
    fault: 'a refusal that is stored',
    plant: storesRefusal,
    finding: /record \d+ is in the journal, and is a refusal that is not/,
  },
  { fault: 'an order that is placed twice', plant: doublesOrders, finding: /does again what record \d+ did/ },
  { fault: 'a forgotten key', plant: forgetsKeys, finding: /does again what record \d+ did/ },
  {
    fault: 'a response that differs from the record',
    plant: respondsFalsely,
    finding: /was answered otherwise than it is in the journal/,
  },
  { fault: 'an atom stolen in a fill', plant: stealsAtom, finding: /was posted a PnL of -?\d+ for the fill of order \d+/ },
  {
    fault: 'a fill of the second order in the queue',
    plant: wrongPriority,
    finding: /was filled before order \d+, which has priority/,
  },
  {
    fault: 'an order that ends for fill_limit without a fill',
    plant: reportsFillLimit,
    finding: /ended for fill_limit after visiting 0 orders/,
  },
  { fault: 'a limit that is not the end of the band', plant: missesBand, finding: /its limit is not the end of the band/ },
  { fault: 'an outcome that differs between runs', plant: outcomeByInstance, finding: /run again, results in other events/ },
  {
    fault: 'a state that differs between runs',
    plant: stateByInstance,
    finding: /the state after record \d+ is not what its commands result in/,
  },
  {
    fault: 'a bit flip that the start does not see',
    plant: hidesDamage,
    finding: /started on a journal in which a bit is flipped/,
  },
  { fault: 'an exception in a turn', plant: throwsInTurn, finding: /has stopped, and nothing was wrong/ },
  { fault: 'a time that runs ahead', plant: runsAhead, finding: /ahead of what the steady clock allows/ },
  { fault: 'a response that is never sent', plant: neverResponds, finding: /requests are never answered/ },
];

function respondsEarly(): Plant {
  const outcomes = new Map<Command, CommittedRecord>();
  return {
    rules: (rules) =>
      tamperedRules(rules, () => (events, sequenced) => {
        outcomes.set(sequenced.command, { ...sequenced, events });
        return events;
      }),
    submit: (submit) => async (submission) => {
      const response = submit(submission);
      await new Promise((resolve) => setImmediate(resolve));
      const early = outcomes.get(submission.command);
      if (early === undefined) return response;
      response.catch(() => undefined);
      return { ...early, replayed: false };
    },
  };
}

/** Only unrecorded refusals are sent early. */
function refusesEarly(): Plant {
  const refusals = new Map<Command, UnrecordedRefusal>();
  return {
    rules: (rules) =>
      tamperedRules(rules, () => (events, { sequence, ...sequenced }) => {
        const [first] = events;
        if (first?.type === 'CommandRefused' && UNSTORED_REFUSALS.has(first.code)) {
          const before = (sequence - 1) as Sequence;
          const { code } = first;
          refusals.set(sequenced.command, { ...sequenced, sequence: before, events, code, replayed: false, isUnrecorded: true });
        }
        return events;
      }),
    submit: (submit) => async (submission) => {
      const response = submit(submission);
      response.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      return refusals.get(submission.command) ?? response;
    },
  };
}

/** The state counts the unrecorded refusals. A start does not count them. */
function refusalLeavesTrace(): Plant {
  const marked = (state: StateMachine, before: number): StateMachine => {
    let refusals = before;
    return {
      turn: (sequenced, events) => {
        state.turn(sequenced, events);
        if (events.isUnstored) refusals += 1;
      },
      snapshot: () => Buffer.concat([state.snapshot(), Buffer.from([refusals])]),
    };
  };
  const rules = (rules: StateMachineRules): StateMachineRules => ({
    ...rules,
    fresh: () => marked(rules.fresh(), 0),
    restore: (snapshot) => marked(rules.restore(snapshot.subarray(0, -1)), snapshot.at(-1)!),
  });
  return { rules };
}

/** Followers receive an unstored refusal in place of a stored one. */
function storesRefusal(): Plant {
  const unstored = (event: VenueEvent): VenueEvent =>
    event.type === 'CommandRefused' ? { ...event, code: 'insufficient_margin' } : event;
  return {
    follow:
      (follow) =>
      ({ records, chainDigest }) =>
        follow({ records: records.map((record) => ({ ...record, events: record.events.map(unstored) })), chainDigest }),
  };
}

function syncsLie(): Plant {
  return {
    files: (files) => throughFiles(files, (name, file) => (isJournal(name) ? { ...file, datasync: async () => {} } : file)),
  };
}

/** Sets its bits to zero, as if it had never been written. */
function losesLastGroup(): Plant {
  return {
    contents: (flip, contents) => {
      const groups = mapJournal(contents);
      const last = groups.at(-1);
      // The first groups hold the opening commands, and may not be published yet.
      if (last === undefined || groups.length < 10) return;
      const bytes = contents.get(last.segment)!;
      for (let position = last.offset; position < last.offset + last.byteLength; position += 1)
        for (let bit = 0; bit < 8; bit += 1) if ((bytes[position]! & (1 << bit)) !== 0) flip(last.segment, position, bit);
    },
  };
}

function dropsRecord(): Plant {
  return {
    follow:
      (follow) =>
      ({ records, chainDigest }) =>
        follow({ records: records.filter(({ sequence }) => sequence !== 40), chainDigest }),
  };
}

function doublesOrders(): Plant {
  return {
    submit: (submit) => (submission) => {
      if (submission.command.type === 'PlaceOrder') submit({ command: submission.command }).catch(() => undefined);
      return submit(submission);
    },
  };
}

function forgetsKeys(): Plant {
  return {
    submit:
      (submit) =>
      ({ command }) =>
        submit({ command }),
  };
}

function respondsFalsely(): Plant {
  const falsified: (response: Outcome) => Outcome = (response) =>
    response.sequence % 50 === 0 ? { ...response, epochMs: (response.epochMs + 1) as EpochMs } : response;
  return { submit: (submit) => async (submission) => falsified(await submit(submission)) };
}

/** Every posted PnL is an atom short. The posted cash balances agree with it. */
function stealsAtom(): Plant {
  return {
    rules: (rules) =>
      tamperedRules(rules, () => {
        const stolen = new Map<AccountOrdinal, number>();
        return (events) =>
          events.map((event) => {
            if (event.type !== 'CashPosted') return event;
            const isPnl = event.kind === 'realized_pnl' && event.amountAtoms > 1;
            if (isPnl) stolen.set(event.account, (stolen.get(event.account) ?? 0) + 1);
            const cashAtoms = (event.cashAtoms - (stolen.get(event.account) ?? 0)) as QuoteAtoms;
            return { ...event, amountAtoms: (event.amountAtoms - (isPnl ? 1 : 0)) as QuoteAtoms, cashAtoms };
          });
      }),
  };
}

/** Where two orders of different accounts rest at a price, the fill of the first is attributed to the second. */
function wrongPriority(): Plant {
  return { rules: (rules) => tamperedRules(rules, swapsMakers) };
}

function swapsMakers(): Tamper {
  const resting = new Map<OrderOrdinal, OrderRested>();
  return (events) =>
    events.map((event) => {
      if (event.type === 'OrderRested') resting.set(event.order, event);
      if (event.type === 'OrderCancelled') resting.delete(event.order);
      if (event.type !== 'OrderFilled' || event.liquidity !== 'maker') return event;
      const first = resting.get(event.order);
      if (event.isComplete) resting.delete(event.order);
      const second = [...resting.values()].find((order) => order.order > event.order && isBehind(order, first));
      return second === undefined ? event : { ...event, order: second.order, account: second.account };
    });
}

function isBehind(order: OrderRested, first: OrderRested | undefined): boolean {
  const { account, market, side, priceAtoms } = first ?? order;
  return order.account !== account && order.market === market && order.side === side && order.priceAtoms === priceAtoms;
}

/** An order that found no liquidity is cancelled for `fill_limit`. */
function reportsFillLimit(): Plant {
  const tampered = (event: VenueEvent): VenueEvent =>
    event.type === 'OrderCancelled' && event.reason === 'no_liquidity' ? { ...event, reason: 'fill_limit' } : event;
  return { rules: (rules) => tamperedRules(rules, () => (events) => events.map(tampered)) };
}

/** An order without a price is accepted a tick beside the end of the band. */
function missesBand(): Plant {
  const besides = (event: VenueEvent): VenueEvent => {
    if (event.type !== 'OrderAccepted' || event.terms.kind !== 'limit') return event;
    return { ...event, terms: { ...event.terms, priceAtoms: (event.terms.priceAtoms - 1) as PriceAtoms } };
  };
  return {
    rules: (rules) =>
      tamperedRules(rules, () => (events, { command }) => {
        const isWithoutPrice = command.type === 'PlaceOrder' && command.terms.kind.startsWith('band');
        return isWithoutPrice ? events.map(besides) : events;
      }),
  };
}

/** The bound of a refusal depends on the instance that refuses. */
function outcomeByInstance(): Plant {
  return {
    rules: (rules) =>
      tamperedRules(
        rules,
        (instance) => (events) =>
          events.map((event): VenueEvent => (event.type === 'CommandRefused' ? { ...event, bound: instance } : event)),
      ),
  };
}

function stateByInstance(): Plant {
  let instances = 0;
  const marked = (rules: StateMachineRules): StateMachineRules => ({
    ...rules,
    fresh: () => {
      const state = rules.fresh();
      const instance = instances;
      instances += 1;
      return {
        turn: (sequenced, events) => state.turn(sequenced, events),
        snapshot: () => Buffer.concat([state.snapshot(), Buffer.from([instance])]),
      };
    },
  });
  return { rules: marked };
}

/** The venue reads the journal as it wrote it, without later damage. */
function hidesDamage(): Plant {
  const written = new Map<string, Uint8Array>();
  const remember = (name: string, bytes: Uint8Array, position: number): void => {
    const known = written.get(name) ?? new Uint8Array();
    const grown = new Uint8Array(Math.max(known.length, position + bytes.length));
    grown.set(known);
    grown.set(bytes, position);
    written.set(name, grown);
  };
  return {
    files: (files) =>
      throughFiles(files, (name, file) => ({
        ...file,
        write: (bytes, position) => {
          remember(name.replace('.unfinished', ''), bytes, position);
          return file.write(bytes, position);
        },
        read: async (into, position) => {
          const length = await file.read(into, position);
          const known = written.get(name);
          if (known !== undefined && isJournal(name)) into.set(known.subarray(position, position + length));
          return length;
        },
      })),
  };
}

function throwsInTurn(): Plant {
  return {
    rules: (rules) =>
      tamperedRules(rules, () => (events, { sequence }) => {
        if (sequence === 60) throw new Error('planted');
        return events;
      }),
  };
}

function runsAhead(): Plant {
  return {
    follow:
      (follow) =>
      ({ records, chainDigest }) =>
        follow({ records: records.map((record) => ({ ...record, epochMs: (record.epochMs + 90_000) as EpochMs })), chainDigest }),
  };
}

function neverResponds(): Plant {
  let submissionCount = 0;
  const submitOrNot: (submit: Submit) => Submit = (submit) => (submission) => {
    submissionCount += 1;
    return submissionCount === 50 ? new Promise(() => undefined) : submit(submission);
  };
  return { submit: submitOrNot };
}

function isJournal(name: string): boolean {
  return name.endsWith('.journal');
}

function throughFiles(files: Files, through: (name: string, file: StorageFile) => StorageFile): Files {
  return {
    list: () => files.list(),
    open: async (name) => through(name, await files.open(name)),
    create: async (name) => through(name, await files.create(name)),
    rename: (from, to) => files.rename(from, to),
    remove: (name) => files.remove(name),
    syncDirectory: () => files.syncDirectory(),
  };
}
