/** Handlers of sign-in: registration, login, and linking an account again. What they return is shown once and stored nowhere. */
import { Refused } from '#contract/refused.ts';
import type { signInOperations } from '#contract/sign-in.ts';
import type { AuthCapabilities, MappingRecoveryBody, OwnerSession, RegistrationStepBody } from '#contract/sign-in-bodies.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { IdentityProofs, type RedirectedAttempt } from '#identity/sign-in/identity-proofs.ts';
import { Logins } from '#identity/sign-in/logins.ts';
import { MappingRecovery } from '#identity/sign-in/mapping.ts';
import { type SignInProvider, SignInProviders } from '#identity/sign-in/providers.ts';
import { type RegistrationStep, Registrations } from '#identity/sign-in/registrations.ts';
import type { OpenedSession } from '#identity/sign-in/session-opening.ts';
import { renderAccountId } from '#units/ids.ts';
import { ownerCommands } from './owner-commands.ts';
import { hasPasskeySite } from './passkey-site.ts';

export function signInHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof signInOperations> {
  const { environment } = ports;
  const { providers, registrations, logins, mapping } = servicesOf(ports);
  return {
    getAuthCapabilities: (): { body: AuthCapabilities } => {
      const listed = providers.list().map(shownProvider);
      const isOpen = providers.isRegistrationOpen;
      const hasSite = hasPasskeySite(ports);
      return {
        body: {
          version: 'auth-capabilities/v1',
          environment,
          passkeyLogin: hasSite ? 'available' : 'unavailable',
          registration: isOpen ? 'open' : 'closed',
          socialRegistration: isOpen ? listed : [],
          socialLogin: listed,
          relyingPartyId: hasSite ? ports.relyingParty().id : null,
        },
      };
    },

    registerWithProvider: async ({ body, network }) => {
      const { provider, attempt, callback, referralCode, local } = body;
      // The parser has checked which fields belong to which action.
      const step =
        body.action === 'complete'
          ? await registrations.complete(provider, attempt!, callback!)
          : await registrations.initiate({ provider, network, referralCode, local });
      return { body: shownStep(step) };
    },

    recoverRegistration: async ({ body }) => ({ body: shownStep(await registrations.recover(body.attempt)) }),

    completeRegistration: async ({ body }) => ({ body: shownSession(await registrations.register(body)) }),

    startPasskeyLogin: async ({ network }) => {
      if (!hasPasskeySite(ports))
        throw new Refused('source_unavailable', 'The operator has not configured the site that passkeys are bound to.');
      return { body: { version: 'passkey-login/v1', challenge: await logins.challenge(network) } };
    },

    completePasskeyLogin: async ({ body }) => ({ body: shownSession(await logins.byPasskey(body)) }),

    loginWithProvider: async ({ body: { action, provider, attempt, callback, local }, network }) => {
      const result =
        action === 'complete'
          ? await logins.complete(provider, attempt!, callback!)
          : await logins.initiate({ provider, network, local });
      const isRedirect = 'authorizationUrl' in result;
      return {
        body: {
          version: 'social-login/v1',
          status: isRedirect ? 'redirect' : 'signed_in',
          ...shownRedirect(isRedirect ? result : undefined),
          session: isRedirect ? null : shownSession(result),
        },
      };
    },

    recoverMapping: async ({ body: { action, provider, attempt, callback, local }, principal }) => {
      const { account } = principal;
      const result =
        action === 'complete'
          ? await mapping.complete({ account, provider, attempt: attempt!, callback: callback! })
          : await mapping.initiate({ account, provider, local });
      const body: MappingRecoveryBody = {
        version: 'auth-mapping/v1',
        accountId: renderAccountId(account),
        status: result === 'linked' ? 'linked' : 'redirect',
        ...shownRedirect(result === 'linked' ? undefined : result),
      };
      return { body };
    },
  };
}

function servicesOf(ports: HttpPorts) {
  const { attempts, directory, owners, sessions, signInChallenges, signInProviders, submit } = ports;
  const providers = new SignInProviders({
    providers: signInProviders,
    // A provider that was never switched has no entry, and is on. A passkey that is registered without a site is of no use later.
    isOn: (capability) =>
      (capability !== 'registration' || hasPasskeySite(ports)) && (directory.switches().capabilities[capability] ?? true),
  });
  const proofs = new IdentityProofs({ providers, attempts });
  const services = {
    providers,
    attempts,
    proofs,
    challenges: signInChallenges,
    sessions,
    owners,
    commands: ownerCommands(submit),
    get relyingParty() {
      return ports.relyingParty();
    },
  };
  return {
    providers,
    registrations: new Registrations(services),
    logins: new Logins(services),
    mapping: new MappingRecovery(services),
  };
}

function shownProvider({ id, name, kind }: SignInProvider): AuthCapabilities['socialLogin'][number] {
  return { provider: id, name, kind };
}

function shownStep(step: RegistrationStep): RegistrationStepBody {
  const { status, attempt, expiresAtEpochMs } = step;
  return {
    version: 'social-sign-in/v1',
    status,
    attempt,
    authorizationUrl: step.status === 'redirect' ? step.authorizationUrl : null,
    expiresAtEpochMs,
    creation: step.status === 'passkey_required' ? step.creation : null,
  };
}

function shownRedirect(redirected: RedirectedAttempt | undefined) {
  if (redirected === undefined) return { attempt: null, authorizationUrl: null, expiresAtEpochMs: null };
  const { attempt, authorizationUrl, expiresAtEpochMs } = redirected;
  return { attempt, authorizationUrl, expiresAtEpochMs };
}

function shownSession({ bearer, session }: OpenedSession): OwnerSession {
  const { account, sessionId, signIn, createdAtEpochMs, expiresAtEpochMs } = session;
  return {
    version: 'owner-session/v1',
    accessToken: bearer,
    accountId: renderAccountId(account),
    sessionId,
    signedInBy: signIn.by,
    createdAtEpochMs,
    expiresAtEpochMs,
  };
}
