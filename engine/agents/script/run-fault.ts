/** Why a run ends. It ends for good: the same script would end again on the same bar. */

export interface RunEnd {
  readonly reason: 'fuel' | 'history' | 'loop' | 'actions' | 'quantity';
  /** What happened, with the limit, in one sentence. */
  readonly detail: string;
}

/** Ends the current bar without an action. `ScriptRun` catches it. */
export class RunFault extends Error {
  readonly end: RunEnd;

  constructor(reason: RunEnd['reason'], detail: string) {
    super(detail);
    this.end = { reason, detail };
  }
}
