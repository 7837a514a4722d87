/**
 * What travels between those who send and the venue: late, twice, out of order, or not at all. Who does not hear what became
 * of a request sends it again under the same key; without a key it cannot be told, and is not sent again.
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
import { STYLE_NAMES } from './workload/trading-styles.ts';

const MAX_ATTEMPTS = 6;

interface Letter {
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
  /** Hears at once of an answer that cannot be true. */
  readonly onFailure: (cause: unknown) => void;
}

export class Traffic {
  readonly #parts: TrafficParts;
  #letters: Letter[] = [];
  /** Requests under keys that nobody knows the outcome of, or that are settled and may come again. */
  readonly #keyed: { readonly request: Request; readonly sender: Sender }[] = [];
  #opened = 0;
  #keys = 0;
  /** Deliveries that were not answered yet. */
  underWay = 0;

  constructor(parts: TrafficParts) {
    this.#parts = parts;
  }

  /** Somebody sends something: what opens the world first. */
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
    const isKeyed = sender.random.chance(STYLE_NAMES[sender.tradingStyle].keyed);
    this.#send(new Request(command, isKeyed ? this.#newKey() : undefined), sender);
  }

  /** Everything that is due reaches the venue. */
  deliver(submit: Submit): void {
    const { log } = this.#parts;
    const due = this.#letters.filter(({ dueStep }) => dueStep <= log.step);
    this.#letters = this.#letters.filter(({ dueStep }) => dueStep > log.step);
    for (const letter of due) this.#submit(submit, letter);
  }

  /** Nothing is on its way to the venue or back. */
  get isIdle(): boolean {
    return this.#letters.length === 0 && this.underWay === 0;
  }

  /** Sends all again whose outcome is not known: whoever waited long enough asks once more. Answers how many. */
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
    this.#letters.push({ request, sender, dueStep: this.#parts.log.step + delay });
  }

  #submit(submit: Submit, { request, sender }: Letter): void {
    const { audit, log, faults, onFailure, onUnrecorded } = this.#parts;
    log.note(`${sender.name} sends ${request.describe()}`);
    request.tries += 1;
    this.underWay += 1;
    audit.delivered(request);
    submit(request.submission)
      .then(
        (outcome) => {
          const { sequence, events } = outcome;
          log.note(`${sender.name} hears of record ${sequence}: ${events.map(({ type }) => type).join(', ')}`);
          if (outcome.isUnrecorded) onUnrecorded(request, outcome);
          else audit.responded(request, outcome);
          if (faults.strikes('lost_reply')) this.#wonder(request, sender);
          else this.#onReport(request, sender);
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
    log.note(`${sender.name} hears no answer: ${cause instanceof Error ? cause.name : String(cause)}`);
    if (cause instanceof VenueHalted) {
      this.#wonder(request, sender);
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

  /** The outcome is not known. */
  #wonder(request: Request, sender: Sender): void {
    const { faults, random } = this.#parts;
    if (request.key === undefined || request.tries >= MAX_ATTEMPTS) return;
    this.#post(request, sender, faults.strikes('late_retry') ? random.between(20, 80) : random.between(1, 10));
  }

  /** The outcome is known; some send all the same again, or something else under the same key. */
  #onReport(request: Request, sender: Sender): void {
    const { random, population, scene } = this.#parts;
    const { repeats, conflicts } = STYLE_NAMES[sender.tradingStyle];
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
