/** Ends a life of a venue at a chosen place: from then on no store is reached any more, as in a process that was killed. */
import type { Ledger } from '#settlement/port/ledger.ts';
import type { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { Submit } from '#writer/port/submit.ts';

export interface CutPlace {
  readonly kind: 'record' | 'call';
  /** From 1. */
  readonly ordinal: number;
  readonly side: 'before' | 'after';
}

interface Stores {
  readonly journalFiles: PowerCutFiles;
  readonly ledgerFiles: PowerCutFiles;
}

export class Cut {
  readonly #place: CutPlace | undefined;
  readonly #stores: Stores;
  readonly #counts = { record: 0, call: 0 };
  #isReached = false;

  constructor(place: CutPlace | undefined, stores: Stores) {
    this.#place = place;
    this.#stores = stores;
  }

  /** The power of both stores goes with that of one. */
  static ofPower(stores: Stores): Cut {
    return new Cut(undefined, stores);
  }

  get isReached(): boolean {
    const { journalFiles, ledgerFiles } = this.#stores;
    if (!journalFiles.hasPower || !ledgerFiles.hasPower) this.#cut();
    return this.#isReached;
  }

  throwIfReached(): void {
    if (this.isReached) throw new Error('the venue was cut');
  }

  around(submit: Submit): Submit {
    return (submission) => this.#counted('record', () => submit(submission));
  }

  aroundLedger(ledger: Ledger): Ledger {
    return new Proxy(ledger, {
      get: (target, name: keyof Ledger) => {
        const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (name === 'watch') return method;
        return (...args: unknown[]) => this.#counted('call', () => method(...args));
      },
    });
  }

  async #counted<Value>(kind: CutPlace['kind'], call: () => Promise<Value>): Promise<Value> {
    if (this.isReached) return NEVER;
    this.#counts[kind] += 1;
    const { kind: cutKind, ordinal, side } = this.#place ?? {};
    const isPlace = kind === cutKind && this.#counts[kind] === ordinal;
    if (isPlace && side === 'before') this.#cut();
    if (this.isReached) return NEVER;
    const value = await call();
    if (isPlace) this.#cut();
    return this.isReached ? NEVER : value;
  }

  #cut(): void {
    this.#isReached = true;
    this.#stores.journalFiles.cutPower();
    this.#stores.ledgerFiles.cutPower();
  }
}

/** A killed process gets no response. */
const NEVER = new Promise<never>(() => undefined);
