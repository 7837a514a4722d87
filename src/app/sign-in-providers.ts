/**
 * The sign-in providers of a venue: those of the file of `--sign-in-providers`, and on local and development the built-in local one. The
 * file names the files of the client secrets, so that it has no secret itself.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Environment, existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import { type OidcClient, type OidcPorts, OidcProvider } from '#identity/sign-in/oidc-provider.ts';
import type { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import { LOCAL_PROVIDER, type SignInProvider } from '#identity/sign-in/providers.ts';
import { UsageFault } from './config.ts';

/** A provider of the file. */
export interface ConfiguredProvider extends OidcClient {
  /** For people. */
  readonly name: string;
}

/** The operator's switches have room for twice as many. */
const MAX_PROVIDERS = 16;
const MAX_TEXT = 512;
const ID = /^[a-z][a-z0-9-]{0,31}$/;
const FIELDS: readonly string[] = ['provider', 'name', 'issuer', 'clientId', 'clientSecretFile'];

/** Throws {@link UsageFault}. */
export function readSignInProviders(path: string | undefined, environment: Environment): readonly ConfiguredProvider[] {
  if (path === undefined) return [];
  const fault = (problem: string) => new UsageFault(`--sign-in-providers ${path}: ${problem}`);
  const entries = parse(readText(path, fault), fault);
  if (entries.length > MAX_PROVIDERS) throw fault(`expected at most ${MAX_PROVIDERS} providers, got ${entries.length}`);
  const providers = entries.map((entry, index) => {
    const ofEntry = (problem: string) => fault(`provider ${index + 1}: ${problem}`);
    return configured(entry, dirname(path), existsIn(environment, PARTIAL_FEATURES.localSignIn), ofEntry);
  });
  const twice = providers.find(({ id }, index) => providers.findIndex((it) => it.id === id) !== index);
  if (twice !== undefined) throw fault(`the provider ${twice.id} is listed twice`);
  return providers;
}

export function openSignInProviders(
  configuredProviders: readonly ConfiguredProvider[],
  environment: Environment,
  ports: OidcPorts,
): readonly SignInProvider[] {
  const local: SignInProvider = { kind: 'local', id: LOCAL_PROVIDER, name: 'Local development' };
  return [
    ...(existsIn(environment, PARTIAL_FEATURES.localSignIn) ? [local] : []),
    ...configuredProviders.map(({ name, ...client }): SignInProvider => {
      return { kind: 'oidc', id: client.id, name, oidc: new OidcProvider(client, ports) };
    }),
  ];
}

/** Reads the metadata of each, so that the operator learns at the start what is wrong. The start does not wait for it. */
export function checkSignInProviders(providers: readonly SignInProvider[]): void {
  for (const it of providers) if (it.kind === 'oidc') void it.oidc.check();
}

/** What of the providers clients must know, in words for them. */
export function signInFaults({ faults }: ProviderConditions): readonly string[] {
  return faults.map(({ provider }) => `sign_in_provider_unavailable: owners cannot sign in with ${provider}; passkeys work`);
}

type Fault = (problem: string) => UsageFault;

function readText(path: string, fault: Fault): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw fault(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parse(text: string, fault: Fault): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw fault('is not JSON');
  }
  if (!Array.isArray(parsed)) throw fault('expected a list of providers, in [ and ]');
  return parsed;
}

function configured(entry: unknown, folder: string, isHttpAllowed: boolean, fault: Fault): ConfiguredProvider {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw fault('expected an object');
  const fields = entry as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) throw fault(`unknown field ${unknown}; the fields are ${FIELDS.join(', ')}`);
  const text = (name: string): string => {
    const value = fields[name];
    if (typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT) return value;
    throw fault(`${name} must be a text of 1 to ${MAX_TEXT} characters`);
  };
  const id = text('provider');
  if (!ID.test(id)) throw fault('provider must be a letter, then at most 31 letters, digits and -, all lower case');
  if (id === LOCAL_PROVIDER) throw fault(`the name ${LOCAL_PROVIDER} belongs to the built-in provider`);
  const provider = { id, name: text('name'), issuer: issuerOf(text('issuer'), isHttpAllowed, fault), clientId: text('clientId') };
  if (fields.clientSecretFile === undefined) return provider;
  const secretPath = resolve(folder, text('clientSecretFile'));
  const clientSecret = readText(secretPath, (problem) => fault(`clientSecretFile ${problem}`)).trim();
  if (clientSecret === '') throw fault('clientSecretFile is empty');
  return { ...provider, clientSecret };
}

/** A provider on this machine may use http while developing. */
function issuerOf(text: string, isHttpAllowed: boolean, fault: Fault): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1';
  const isHttp = url?.protocol === 'http:' && isLoopback && isHttpAllowed;
  if (url !== undefined && (url.protocol === 'https:' || isHttp) && url.search === '' && url.hash === '') return text;
  throw fault(`issuer must be an https address without query${isHttpAllowed ? ', or http on this machine' : ''}`);
}
