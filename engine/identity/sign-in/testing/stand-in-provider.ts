/**
 * A provider of OpenID Connect on loopback: metadata, keys, authorization and token endpoint with PKCE. A test can make each part of its
 * answer wrong, let it fail, or let it hang.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemTime } from '#time/system-time.ts';

/** What a test makes wrong. */
export interface Faults {
  /** Replaces claims of the ID token. */
  claims?: Readonly<Record<string, unknown>>;
  /** Signs the ID token with another key than the published one. */
  isForged?: boolean;
  /** The status of every response of these paths. */
  status?: Readonly<Record<string, number>>;
  /** These paths respond with 401 and a challenge for the client. */
  challenges?: readonly string[];
  /** These paths fail with a response that repeats the request. */
  repeats?: readonly string[];
  /** Responses of these paths never end. */
  hangs?: readonly string[];
  /** Bytes of the response of these paths. */
  size?: Readonly<Record<string, number>>;
}

interface Grant {
  readonly subject: string;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly redirectUri: string | null;
}

export const CLIENT = { clientId: 'venue', clientSecret: 'a secret of the venue' } as const;

export async function startStandInProvider() {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const otherKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const grants = new Map<string, Grant>();
  const requests: string[] = [];
  const issuedTokens: string[] = [];
  let faults: Faults = {};

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    requests.push(pathname);
    if (faults.hangs?.includes(pathname)) return;
    if (faults.repeats?.includes(pathname)) {
      const error_description = `cannot handle ${await textOf(request)} of ${request.headers.authorization}`;
      return respond(response, 500, { error: 'server_error', error_description });
    }
    if (faults.challenges?.includes(pathname))
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="clients"' }).end();
    const size = faults.size?.[pathname];
    if (size !== undefined) return respond(response, 200, { padding: 'a'.repeat(size) });
    const status = faults.status?.[pathname];
    if (status !== undefined) return respond(response, status, { error: 'server_error' });
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return respond(response, 200, metadata);
      case '/keys':
        return respond(response, 200, {
          keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'ES256' }],
        });
      case '/token':
        return token(request, response);
      default:
        return respond(response, 404, {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = new URLSearchParams(await textOf(request));
    const grant = grants.get(sent.get('code') ?? '');
    // A code is valid once.
    grants.delete(sent.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const expected = `Basic ${Buffer.from(`${CLIENT.clientId}:${encodeURIComponent(CLIENT.clientSecret).replaceAll('%20', '+')}`).toString('base64')}`;
    if (request.headers.authorization !== expected) return respond(response, 401, { error: 'invalid_client' });
    if (grant === undefined || grant.codeChallenge !== verifier || grant.redirectUri !== sent.get('redirect_uri'))
      return respond(response, 400, { error: 'invalid_grant' });
    const now = Math.floor(systemTime.clock.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: CLIENT.clientId,
      sub: grant.subject,
      nonce: grant.nonce,
      iat: now,
      exp: now + 300,
      ...faults.claims,
    };
    const key = faults.isForged ? otherKeys.privateKey : keys.privateKey;
    const idToken = signedToken(claims, key);
    issuedTokens.push(idToken);
    respond(response, 200, { access_token: 'unused', token_type: 'Bearer', id_token: idToken });
  }

  return {
    issuer,
    /** The paths that were requested. */
    requests,
    /** ID tokens. */
    issuedTokens,
    set faults(next: Faults) {
      faults = next;
    },
    /** The browser's visit: returns the query with which it is sent back. */
    visit(authorizationUrl: string, subject = 'subject-1'): string {
      const requested = new URL(authorizationUrl).searchParams;
      const code = randomBytes(16).toString('base64url');
      grants.set(code, {
        subject,
        nonce: requested.get('nonce'),
        codeChallenge: requested.get('code_challenge'),
        redirectUri: requested.get('redirect_uri'),
      });
      return new URLSearchParams({ code, state: requested.get('state') ?? '', iss: issuer }).toString();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type StandInProvider = Awaited<ReturnType<typeof startStandInProvider>>;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function signedToken(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256', kid: 'one', typ: 'JWT' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
