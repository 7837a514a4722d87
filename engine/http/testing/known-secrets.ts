/**
 * The secrets that a venue in a test and its clients have. A response delivers a secret once, when it is made: none may contain a secret
 * that existed before it.
 */
import { expect } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import type { ExpiringEntry } from '#identity/expiring-store.ts';
import type { Command } from '#venue/command.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Of commands and stored entries: what finds or proves a command on the ledger, and digests. */
const OF_THE_VENUE = ['ledgerKey', 'digest', 'commandDigest', 'identityDigest', 'publicKey'];
const OF_REQUESTS = [
  'signature',
  'authenticatorData',
  'clientData',
  'clientDataJSON',
  'attestationObject',
  'publicKey',
  'attempt',
  'deviceCode',
  'ticket',
];
const DELIVERED = ['accessToken', 'apiKey', 'attempt', 'deviceCode', 'ticket'];
/** The steps of one registration or sign-in return the attempt that was sent. */
const RETURNED = 'attempt';

/** They show the requests that some tests send. */
const DOCUMENTS: readonly OperationId[] = ['getOpenApi', 'getAsyncApi'];

/** As long as the shortest of them, each part of a ledger key. Shorter values in tests are stand-ins. */
const SECRET = /^[A-Za-z0-9_-]{32,}$/;
/** Words, and the parts of words: the id of a ledger command starts with its key. */
const CANDIDATES = [/[A-Za-z0-9_-]{32,}/g, /[0-9a-f]{32,}/g];

export class KnownSecrets {
  readonly #known = new Map<string, string>();

  learnCommand(command: Command): void {
    this.#learn(command as unknown as Fields, OF_THE_VENUE);
  }

  learnEntry(entry: ExpiringEntry): void {
    this.#learn(entry as unknown as Fields, OF_THE_VENUE);
  }

  learnRequest(bearer: string | undefined, body: unknown): void {
    if (bearer !== undefined) this.#known.set(bearer, 'a bearer');
    if (typeof body === 'object' && body !== null) this.#learn(body as Fields, OF_REQUESTS);
  }

  /** Then the response's own secrets are known too. */
  expectNoneIn(
    operation: OperationId,
    sent: unknown,
    { headers, body }: { readonly headers: Headers; readonly body: unknown },
  ): void {
    if (DOCUMENTS.includes(operation)) return;
    const returned = (sent as Fields | undefined)?.[RETURNED];
    const text = JSON.stringify([[...headers], body]);
    const candidates = CANDIDATES.flatMap((form) => text.match(form) ?? []).filter((it) => it !== returned);
    for (const it of candidates) expect(this.#known.get(it), `${it} in a response of ${operation}`).toBeUndefined();
    if (typeof body === 'object' && body !== null) this.#learn(body as Fields, DELIVERED);
  }

  #learn(fields: Fields, names: readonly string[]): void {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'object' && value !== null) this.#learn(value as Fields, names);
      else if (typeof value === 'string' && names.includes(name))
        for (const part of value.split('.')) if (SECRET.test(part)) this.#known.set(part, name);
    }
  }
}
