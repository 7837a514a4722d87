/**
 * One exchange of each operation with a real venue, for the OpenAPI document. A test (engine/http/handlers/examples.test.ts) records them
 * and fails when the shape of a response changes; `npm run contract` records them again.
 */
import recorded from './examples.json' with { type: 'json' };

export interface Example {
  readonly request: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: { readonly status: number; readonly body?: unknown };
}

/** Examples by operation id. */
export const EXAMPLES = recorded as Readonly<Record<string, Example>>;
