/**
 * One exchange of each operation with a real venue, for the OpenAPI document. They are recorded by a test
 * (engine/http/handlers/examples.test.ts), which fails once the venue answers in another shape; `npm run contract` renews them.
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

/** By operation id. */
export const EXAMPLES = recorded as Readonly<Record<string, Example>>;
