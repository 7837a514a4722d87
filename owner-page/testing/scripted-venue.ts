/** A venue for unit tests of panels: each request gets the next response of its route, and the last one again. */

import type { SetupKeyStore } from '#owner-page/src/ceremonies/key-store.ts';
import type { Authenticator } from '#owner-page/src/ceremonies/passkey.ts';
import type { SetupKey } from '#owner-page/src/ceremonies/setup-key.ts';
import type { PageServices } from '#owner-page/src/panels/panel.ts';
import type { ScriptRefusal } from '#owner-page/src/venue/agent-resources.ts';
import { VenueClient } from '#owner-page/src/venue/client.ts';
import type { Challenge } from '#owner-page/src/venue/resources.ts';

export interface SentRequest {
  /** Such as `POST /v1/withdrawals`. */
  readonly route: string;
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | undefined;
  readonly authorization: string | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly isRetryable?: boolean;
  readonly scriptRefusals?: readonly ScriptRefusal[];
}

type ScriptedResponse = object | Refusal | Error;

export class ScriptedVenue {
  readonly sent: SentRequest[] = [];
  readonly #routes = new Map<string, ScriptedResponse[]>();
  readonly client = new VenueClient(async (path, init) => this.#respond(path, init));

  /** Adds responses of a route, such as `POST /v1/withdrawals`. */
  on(route: string, ...responses: readonly ScriptedResponse[]): this {
    this.#routes.set(route, [...(this.#routes.get(route) ?? []), ...responses]);
    return this;
  }

  bodiesOf(route: string): readonly SentRequest['body'][] {
    return this.sent.filter((it) => it.route === route).map(({ body }) => body);
  }

  async #respond(path: string, { method, body, headers }: RequestInit): Promise<Response> {
    const [address, query = ''] = path.split('?');
    const route = `${method} ${address}`;
    const { authorization, 'idempotency-key': idempotencyKey } = headers as Record<string, string>;
    this.sent.push({ route, query, body: JSON.parse(String(body ?? '{}')), idempotencyKey, authorization });
    const responses = this.#routes.get(route) ?? [];
    const response = responses.length > 1 ? responses.shift()! : responses[0];
    if (response === undefined) return Response.json({ code: 'path_not_found', safeMessage: route }, { status: 404 });
    if (response instanceof Error) throw response;
    if (!isRefusal(response)) return Response.json(response);
    const { status, code, isRetryable: retryable = false, scriptRefusals } = response;
    return Response.json({ code, safeMessage: `refused: ${code}`, retryable, scriptRefusals }, { status });
  }
}

function isRefusal(response: object): response is Refusal {
  return 'code' in response && 'status' in response;
}

/** What a panel did for people, in order. */
export class RecordedPage implements PageServices {
  readonly announced: string[] = [];
  readonly focused: string[] = [];
  readonly #end = new AbortController();
  readonly signal = this.#end.signal;
  readonly changed = () => {};
  readonly announce = (text: string) => void this.announced.push(text);
  readonly moveFocus = (id: string) => void this.focused.push(id);
  readonly wait = async () => this.signal.throwIfAborted();
  readonly signOut = () => this.#end.abort();
}

/** Signs with fields that name what was signed, or rejects as a browser does. */
export class ScriptedAuthenticator implements Authenticator {
  prompts = 0;
  /** The next prompt ends with this error. */
  failure: Error | undefined;

  readonly get: Authenticator['get'] = async ({ optionsJSON }) => {
    this.#prompt();
    const response = { clientDataJSON: optionsJSON.challenge, signature: 'signature', authenticatorData: 'data' };
    return { id: 'passkey-1', rawId: 'passkey-1', response, clientExtensionResults: {}, type: 'public-key' };
  };

  readonly create: Authenticator['create'] = async ({ optionsJSON }) => {
    this.#prompt();
    const response = { clientDataJSON: optionsJSON.challenge, attestationObject: 'attestation' };
    return { id: 'passkey-2', rawId: 'passkey-2', response, clientExtensionResults: {}, type: 'public-key' };
  };

  #prompt(): void {
    this.prompts += 1;
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

export class MemoryKeyStore implements SetupKeyStore {
  readonly keys = new Map<string, SetupKey>();
  isRefused = false;

  async find(accountId: string): Promise<SetupKey | undefined> {
    return this.keys.get(accountId);
  }

  async save(accountId: string, key: SetupKey): Promise<void> {
    if (this.isRefused) throw new DOMException('no storage', 'InvalidStateError');
    this.keys.set(accountId, key);
  }

  async remove(accountId: string): Promise<void> {
    this.keys.delete(accountId);
  }
}

/** 32 bytes in base64url, the same for the same name. */
export function challengeOf(name: string, setupKeyId?: string): Challenge {
  const challenge = btoa(name.padEnd(32, '.').slice(0, 32)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  const key = setupKeyId === undefined ? [] : [{ id: setupKeyId }];
  return { challenge, challengeIdentifier: name, allowCredentials: { key, webauthn: [{ id: 'passkey-1' }] } };
}
