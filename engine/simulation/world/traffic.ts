/**
 * The deliveries between senders and the venue: late, twice, out of order, or lost. A sender without a response repeats its
 * request with the same key. A request without a key is not repeated, because the venue could not recognise it.
 */
import type { Submit, UnrecordedRefusal } from '#writer/port/submit.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { fail } from './audit/demand.ts';
import type { DurabilityAudit } from './audit/durability.ts';
import type { Faults } from './faults.ts';
import type { RandomSource } from './random-source.ts';
import { Request } from './request.ts';
import type { StepLog } from './step-log.ts';
import type { Population } from './workload/population.ts';
import type { Scene, Sender } from './workload/sender.ts';
import { STYLES } from './workload/trading-styles.ts';

const MAX_ATTEMPTS = 6;

interface Delivery {
  readonly request: Request;
  readonly sender: Sender;
  /** The step in which it arrives. */
  readonly dueStep: number;
}

export interface TrafficParts {
  readonly population: Population;
  readonly scene: Scene;
  readonly audit: DurabilityAudit;
  readonly faults: Faults;
  readonly random: RandomSource;
  readonly log: StepLog;
  /** Called with every refusal that is not in the journal. */
  readonly onUnrecorded: (request: Request, refusal: UnrecordedRefusal) => void;
  /** Called at once with a response that cannot be true. */
  readonly onFailure: (cause: unknown) => void;
}

export class Traffic {
  readonly #parts: TrafficParts;
  #deliveries: Delivery[] = [];
  /** The requests with keys: unsettled ones, and settled ones that may be repeated. */
  readonly #keyed: { readonly request: Request; readonly sender: Sender }[] = [];
  #opened = 0;
  #keys = 0;
  /** The deliveries without a response. */
  underWay = 0;

  constructor(parts: TrafficParts) {
    this.#parts = parts;
  }

  /** Sends the next opening command, or else a command of some sender. */
  act(): void {
    const { population, scene } = this.#parts;
    const opening = population.opening[this.#opened];
    if (opening !== undefined) {
      this.#opened += 1;
      this.#send(new Request(opening, this.#newKey()), population.operator);
      return;
    }
    const next = population.next(scene);
    if (next === undefined) return;
    const { sender, command } = next;
    const isKeyed = sender.random.chance(STYLES[sender.tradingStyle].keyed);
    this.#send(new Request(command, isKeyed ? this.#newKey() : undefined), sender);
  }

  /** Submits the deliveries that are due. */
  deliver(submit: Submit): void {
    const { log } = this.#parts;
    const due = this.#deliveries.filter(({ dueStep }) => dueStep <= log.step);
    this.#deliveries = this.#deliveries.filter(({ dueStep }) => dueStep > log.step);
    for (const delivery of due) this.#submit(submit, delivery);
  }

  /** No delivery and no response is pending. */
  get isIdle(): boolean {
    return this.#deliveries.length === 0 && this.underWay === 0;
  }

  /** Repeats all requests with unknown outcomes. Returns how many. */
  retry(): number {
    const unsettled = this.#keyed.filter(({ request }) => !request.isSettled);
    for (const { request, sender } of unsettled) {
      request.tries = 0;
      this.#post(request, sender, 0);
    }
    return unsettled.length;
  }

  #send(request: Request, sender: Sender): void {
    const { random, faults } = this.#parts;
    if (request.key !== undefined) this.#keyed.push({ request, sender });
    this.#post(request, sender, random.between(0, 3));
    if (faults.strikes('duplicate_delivery')) this.#post(request, sender, random.between(0, 6));
  }

  #post(request: Request, sender: Sender, delay: number): void {
    this.#deliveries.push({ request, sender, dueStep: this.#parts.log.step + delay });
  }

  #submit(submit: Submit, { request, sender }: Delivery): void {
    const { audit, log, faults, onFailure, onUnrecorded } = this.#parts;
    log.note(`${sender.name} sends ${request.describe()}`);
    request.tries += 1;
    this.underWay += 1;
    audit.delivered(request);
    submit(request.submission)
      .then(
        (outcome) => {
          const { sequence, events } = outcome;
          log.note(`${sender.name} receives record ${sequence}: ${events.map(({ type }) => type).join(', ')}`);
          if (outcome.isUnrecorded) onUnrecorded(request, outcome);
          else audit.responded(request, outcome);
          if (faults.strikes('lost_reply')) this.#retryLater(request, sender);
          else this.#settle(request, sender);
        },
        (cause: unknown) => this.#refused(request, sender, cause),
      )
      .catch(onFailure)
      .finally(() => {
        this.underWay -= 1;
      });
  }

  #refused(request: Request, sender: Sender, cause: unknown): void {
    const { audit, log, random } = this.#parts;
    log.note(`${sender.name} receives no response: ${cause instanceof Error ? cause.name : String(cause)}`);
    if (cause instanceof VenueHalted) {
      this.#retryLater(request, sender);
      return;
    }
    if (cause instanceof IdempotencyConflict) audit.conflicted(request);
    else audit.notTaken(request);
    if (cause instanceof WriterBusy) {
      if (request.tries < MAX_ATTEMPTS) this.#post(request, sender, random.between(1, 10));
      return;
    }
    const isUnwritable = cause instanceof Error && cause.name === 'MalformedRecord';
    if (!(cause instanceof IdempotencyConflict) && !isUnwritable) fail(`a request was refused by ${String(cause)}`);
    request.isSettled = true;
  }

  /** The outcome is unknown: schedules a retry. */
  #retryLater(request: Request, sender: Sender): void {
    const { faults, random } = this.#parts;
    if (request.key === undefined || request.tries >= MAX_ATTEMPTS) return;
    this.#post(request, sender, faults.strikes('late_retry') ? random.between(20, 80) : random.between(1, 10));
  }

  /** The outcome is known. Some senders still repeat the request, or send another body with the same key. */
  #settle(request: Request, sender: Sender): void {
    const { random, population, scene } = this.#parts;
    const { repeats, conflicts } = STYLES[sender.tradingStyle];
    request.isSettled = true;
    if (request.key === undefined || request.tries >= MAX_ATTEMPTS) return;
    if (random.chance(repeats)) this.#post(request, sender, random.between(0, 40));
    const other = random.chance(conflicts) ? population.another(sender, scene) : undefined;
    if (other !== undefined) this.#post(new Request(other, request.key), sender, random.between(0, 10));
  }

  #newKey(): string {
    this.#keys += 1;
    return `key ${this.#keys}`;
  }
}
