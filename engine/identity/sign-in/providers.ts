/**
 * The sign-in providers of a venue: those of its configuration, and on local and development the built-in `local` one, where a
 * name and a passphrase are the identity.
 */
import { Refused } from '#contract/refused.ts';
import { identityDigestOf } from './identity.ts';
import type { OidcProvider } from './oidc-provider.ts';

export const LOCAL_PROVIDER = 'local';

export type SignInProvider =
  | { readonly kind: 'local'; readonly id: string; readonly name: string }
  | { readonly kind: 'oidc'; readonly id: string; readonly name: string; readonly oidc: OidcProvider };

export interface LocalCredentials {
  readonly name: string;
  readonly passphrase: string;
}

/** Whether the operator's switch is on: `registration`, or `provider:<id>`. */
export type IsOn = (capability: 'registration' | `provider:${string}`) => boolean;

export class SignInProviders {
  readonly #providers: readonly SignInProvider[];
  readonly #isOn: IsOn;

  constructor({ providers, isOn }: { providers: readonly SignInProvider[]; isOn: IsOn }) {
    this.#providers = providers;
    this.#isOn = isOn;
  }

  /** The providers that are switched on. */
  list(): readonly SignInProvider[] {
    return this.#providers.filter(({ id }) => this.#isOn(`provider:${id}`));
  }

  get isRegistrationOpen(): boolean {
    return this.#isOn('registration');
  }

  isKnown(id: string): boolean {
    return this.#providers.some((it) => it.id === id);
  }

  /** Throws {@link Refused} for a provider that does not exist or is switched off. */
  named(id: string): SignInProvider {
    const provider = this.#providers.find((it) => it.id === id);
    if (provider === undefined) throw new Refused('unknown_provider', `This venue has no sign-in provider ${id}.`);
    if (!this.#isOn(`provider:${id}`))
      throw new Refused('capability_unavailable', `The operator has switched off sign-in with ${id}. Nothing was carried out.`);
    return provider;
  }

  /** Throws {@link Refused} while registration is closed. Existing owners sign in all the same. */
  demandOpenRegistration(): void {
    if (this.#isOn('registration')) return;
    throw new Refused('capability_unavailable', 'Registration is closed. Owners who have registered can sign in.');
  }
}

/** Throws {@link Refused} unless the request has exactly what the provider needs. */
export function localIdentityOf({ kind, id }: SignInProvider, local: LocalCredentials | undefined): string | undefined {
  if (kind === 'local' && local === undefined)
    throw new Refused('invalid_request', 'The local provider needs the field local, with name and passphrase.');
  if (kind !== 'local' && local !== undefined)
    throw new Refused('invalid_request', `Only the provider ${LOCAL_PROVIDER} takes the field local. Remove it.`);
  return local === undefined ? undefined : identityDigestOf(id, '', JSON.stringify([local.name, local.passphrase]));
}
