/** The HTTP server of the venue: every operation of its environment bound to its handler, those of /v2 through the gateway. */
import type { FastifyInstance } from 'fastify';
import { OPERATIONS, operationsIn } from '#contract/operations.ts';
import { UNIFIED_OPERATION_IDS } from '#contract/unified.ts';
import { bearerOf } from '#http/access/access.ts';
import { Admission } from '#http/access/admission.ts';
import { hidingAdmission, isHidden } from '#http/access/hidden-operations.ts';
import { countersInProcess } from '#http/access/rate-counters.ts';
import { readerOf } from '#http/access/request-reader.ts';
import { accountHistoryHandlers } from '#http/handlers/account-history.ts';
import { accountHandlers } from '#http/handlers/accounts.ts';
import { affiliateHandlers } from '#http/handlers/affiliates.ts';
import { agentAccountHandlers } from '#http/handlers/agent-accounts.ts';
import { agentDeploymentHandlers } from '#http/handlers/agent-deployments.ts';
import { agentDraftHandlers } from '#http/handlers/agent-drafts.ts';
import { agentFundingHandlers } from '#http/handlers/agent-funding.ts';
import { apiKeyHandlers } from '#http/handlers/api-keys.ts';
import { depositHandlers } from '#http/handlers/deposits.ts';
import { deviceGrantHandlers } from '#http/handlers/device-grants.ts';
import { favoriteHandlers } from '#http/handlers/favorites.ts';
import { kycHandlers } from '#http/handlers/kyc.ts';
import { leverageHandlers } from '#http/handlers/leverage.ts';
import { marketHandlers } from '#http/handlers/markets.ts';
import { orderHandlers } from '#http/handlers/orders.ts';
import { sessionHandlers } from '#http/handlers/owner-sessions.ts';
import { partyHandlers } from '#http/handlers/party.ts';
import { passkeyHandlers } from '#http/handlers/passkeys.ts';
import { positionMarginHandlers } from '#http/handlers/position-margin.ts';
import { realtimeHandlers } from '#http/handlers/realtime.ts';
import { signInHandlers } from '#http/handlers/sign-in.ts';
import { systemHandlers } from '#http/handlers/system.ts';
import { withdrawalHandlers } from '#http/handlers/withdrawals.ts';
import type { BearerPorts } from '#identity/directory.ts';
import { VENUE_READER } from '#reads/reader.ts';
import { type AnyHandler, bind, type Handlers, type ReadsOf } from './binding.ts';
import { bindDocuments, type DocumentId } from './documents.ts';
import { bindExplorer } from './explorer.ts';
import { EXPLORER_ENTRY_PATHS, EXPLORER_PATHS } from './explorer-files.ts';
import { openFramework } from './framework.ts';
import { type Caller, innerCalls } from './in-process-calls.ts';
import { bindOwnerPage, OWNER_PAGE_PATHS } from './owner-page.ts';
import type { HttpPorts } from './ports.ts';
import { TrustedProxies } from './trusted-proxies.ts';
import { routesOf } from './unrouted.ts';

/** Returned without listening; the caller chooses the address. */
export function createHttpServer(ports: HttpPorts): FastifyInstance {
  const { environment, limits, clock, steadyClock, timers, observe, onInternalError } = ports;
  const operations = operationsIn(environment);
  const bearers: BearerPorts = {
    findApiKey: (keyId) => ports.directory.apiKey(keyId),
    sessions: ports.sessions,
    owners: ports.owners,
  };
  const proxies = new TrustedProxies(ports.trustedProxies ?? []);
  const admission = new Admission({
    bearerOf: (message, guard) => bearerOf(message, bearers, clock.now(), guard),
    rates: limits.rates,
    counters: ports.rateCounters,
    countersHere: countersInProcess(steadyClock),
    proxies,
  });
  const server = openFramework({
    limits,
    clock,
    steadyClock,
    timers,
    proxies,
    observe,
    onInternalError,
    countAnonymous: (request, reply) => admission.countAnonymous(request, reply),
    routes: routesOf(operations, [...EXPLORER_PATHS, ...EXPLORER_ENTRY_PATHS, ...OWNER_PAGE_PATHS], (operation) =>
      isHidden(operation, ports.directory),
    ),
  });
  const handlers: Omit<Handlers, DocumentId> = {
    ...systemHandlers(ports),
    ...marketHandlers(ports),
    ...orderHandlers(ports),
    ...accountHandlers(ports),
    ...accountHistoryHandlers(ports),
    ...favoriteHandlers(ports),
    ...leverageHandlers(ports),
    ...positionMarginHandlers(ports),
    ...affiliateHandlers(ports),
    ...kycHandlers(ports),
    ...realtimeHandlers(ports),
    ...signInHandlers(ports),
    ...passkeyHandlers(ports),
    ...sessionHandlers(ports),
    ...deviceGrantHandlers(ports),
    ...apiKeyHandlers(ports),
    ...partyHandlers(ports),
    ...depositHandlers(ports),
    ...withdrawalHandlers(ports),
    ...agentAccountHandlers(ports),
    ...agentFundingHandlers(ports),
    ...agentDraftHandlers(ports),
    ...agentDeploymentHandlers(ports),
  };
  const all: Readonly<Record<string, AnyHandler>> = { ...(handlers as object), ...unifiedHandlers(ports, handlers) };
  const hiding = hidingAdmission(admission, ports.directory);
  const readsOf: ReadsOf = (request, reader) => ports.readsFor(readerOf(request, reader, (of) => admission.networkOf(of)));
  for (const operation of operations) {
    const handler = all[operation.id];
    // The documents have no handler.
    if (handler !== undefined) bind(server, operation, handler, hiding, observe, readsOf);
  }
  bindDocuments(server, ports, admission, observe);
  bindExplorer(server, environment, admission.to(OPERATIONS.getOpenApi), observe);
  bindOwnerPage(server, ports.realtimeUrl, admission.to(OPERATIONS.getOpenApi), observe);
  return server;
}

/** The gateway calls operations from inside: the request has passed admission by then. */
function unifiedHandlers({ openGateway, readsFor, steadyClock }: HttpPorts, handlers: Omit<Handlers, DocumentId>) {
  const venueOf = innerCalls(handlers);
  const gateway = openGateway(venueOf({ reads: readsFor(VENUE_READER), unifiedReads: readsFor(VENUE_READER) }), steadyClock);
  return Object.fromEntries(
    UNIFIED_OPERATION_IDS.map((id): [string, AnyHandler] => [
      id,
      (call, { reply }) => gateway[id](call as never, venueOf(call as Caller, reply)),
    ]),
  );
}
