/** A deployment whose log is followed: by a socket, after it ended, and without one. */
import { beforeEach, describe, expect, test } from 'vitest';
import { AgentOperations } from '#owner-page/src/venue/agent-operations.ts';
import type { ActionPage } from '#owner-page/src/venue/agent-resources.ts';
import type { OpenSocket } from '#owner-page/src/venue/realtime-feed.ts';
import { RealtimeOperations } from '#owner-page/src/venue/realtime-operations.ts';
import { changeOf, DEPLOYMENT, ledgerOf, MARKET, orderOf, pageOf } from '#owner-page/testing/agent-resources.ts';
import { ScriptedSocket } from '#owner-page/testing/scripted-socket.ts';
import { RecordedPage, ScriptedVenue } from '#owner-page/testing/scripted-venue.ts';
import { DeploymentPanel } from './deployment.ts';
import type { PageServices } from './panel.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const LOG = `GET ${ACCOUNT}/agents/7/actions`;
const STARTED = changeOf(1, 'deployment_started');
const BOUGHT = ledgerOf(500, -3_278_140_000, 1_639_070);
const ORDER = orderOf(2, BOUGHT, '655455');
const ASYNC_API = { servers: { venue: { protocol: 'ws', host: 'venue:8081', pathname: '/' } } };

let venue: ScriptedVenue;
let page: RecordedPage;
let sockets: ScriptedSocket[];
let addresses: string[];
let panel: DeploymentPanel;
/** Ends the pauses of the page, oldest first. */
let pauses: { readonly delayMs: number; readonly end: () => void }[];

beforeEach(() => {
  venue = new ScriptedVenue();
  pauses = [];
  sockets = [];
  addresses = [];
  page = new RecordedPage();
  const wait = (delayMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      pauses.push({ delayMs, end: resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  venue.on('GET /v1/markets', { markets: [MARKET] });
  venue.on('GET /asyncapi.json', ASYNC_API);
  venue.on('POST /v1/realtime/ticket', { ticket: 'ticket-1' }, { ticket: 'ticket-2' });
  venue.on('DELETE /v1/realtime/ticket', {});
  const openSocket = (address: string) => {
    addresses.push(address);
    const socket = new ScriptedSocket();
    sockets.push(socket);
    return socket;
  };
  const services = { ...page, signal: page.signal, wait };
  panel = panelOf(services, openSocket);
});

function panelOf(services: PageServices, openSocket: OpenSocket): DeploymentPanel {
  const operations = new AgentOperations(venue.client, 'acct-7');
  return new DeploymentPanel(services, { operations, realtime: new RealtimeOperations(venue.client), openSocket }, '7');
}

const queries = () => venue.sent.filter(({ route }) => route === LOG).map(({ query }) => query);
const idsOf = () => panel.log?.actions.map(({ actionId }) => actionId);
/** The first pauses before another socket; pings have longer ones. */
const reconnects = () => pauses.filter(({ delayMs }) => delayMs === 400);
const opened = (count: number) => expect.poll(() => sockets.length).toBe(count);
const publish = (socket: ScriptedSocket, sequence: number, previousSequence: number, actions: readonly object[]) =>
  socket.receive({ type: 'update', channel: 'account.agents', sequence, previousSequence, epochMs: 60_000, data: { actions } });

/** Open, and live from sequence 40. `later`: the pages that are read after that. */
async function live(...later: readonly ActionPage[]): Promise<ScriptedSocket> {
  venue.on(LOG, pageOf([STARTED], 39), pageOf([], 40), ...later);
  await panel.load();
  await opened(1);
  await sockets[0]!.start({ 'account.agents': 40, 'market.price': 40 });
  return sockets[0]!;
}

describe('a live log', () => {
  test('continues from the log that was read, by a ticket in a frame', async () => {
    const socket = await live();
    expect(queries()).toEqual(['limit=100&order=newest_first', 'limit=100&order=oldest_first&afterActionId=1']);
    expect(addresses).toEqual(['ws://venue:8081/']);
    expect(socket.sent).toEqual([
      { op: 'auth', ticket: 'ticket-1' },
      { op: 'subscribe', channel: 'account.agents', accountId: 'acct-7', fromSequence: 40 },
      { op: 'subscribe', channel: 'market.price', marketId: 'BTC-USD-PERP' },
    ]);
    expect(panel.isLive).toBe(true);
  });

  test('shows each own action once, with its ledger at the newest mark', async () => {
    const socket = await live();
    publish(socket, 41, 40, [{ ...ORDER, deploymentId: '8', actionId: '9' }, ORDER]);
    publish(socket, 42, 41, [ORDER]);
    expect([idsOf(), page.announced.at(-1)]).toEqual([['1', '2'], 'The log has a new action.']);
    const price = { indexPrice: '1', markPrice: '65545.5' };
    socket.receive({ type: 'update', channel: 'market.price', sequence: 43, previousSequence: 40, epochMs: 61_000, data: price });
    expect(panel.equityAtoms).toBe(-2_504_070n);
    expect(panel.curve.map(({ event, epochMs }) => [event, epochMs])).toEqual([
      ['Started', 1_000],
      ['Entry', 2_000],
      ['Now', 61_000],
    ]);
  });

  test('follows the state', async () => {
    const socket = await live();
    publish(socket, 41, 40, [changeOf(2, 'deployment_stopped')]);
    expect(panel.log?.deployment).toMatchObject({ state: 'stopped', stateVersion: 3, stateReason: 'a reason' });
  });

  test('reads what it missed after its socket ended, with another ticket', async () => {
    const socket = await live(pageOf([ORDER], 49, { nextAfterActionId: '2' }), pageOf([], 50));
    socket.close();
    await expect.poll(() => panel.isLive).toBe(false);
    await expect.poll(reconnects).toHaveLength(1);
    expect(venue.bodiesOf('DELETE /v1/realtime/ticket')).toEqual([{ ticket: 'ticket-1' }]);
    reconnects()[0]!.end();
    await opened(2);
    await sockets[1]!.start({ 'account.agents': 50, 'market.price': 50 });
    expect([idsOf(), panel.isLive]).toEqual([['1', '2'], true]);
    expect(sockets[1]!.sent.slice(0, 2)).toMatchObject([{ ticket: 'ticket-2' }, { fromSequence: 50 }]);
    // A socket that was live starts the pauses again.
    sockets[1]!.close();
    await expect.poll(reconnects).toHaveLength(2);
  });

  test('ends with the view, and with its ticket', async () => {
    const socket = await live();
    panel.close();
    await expect.poll(() => venue.bodiesOf('DELETE /v1/realtime/ticket')).toHaveLength(1);
    expect([socket.isClosed, panel.isLive, panel.lost]).toEqual([true, false, undefined]);
  });
});

describe('without a socket', () => {
  test.each([
    ['has no published address', '{host}:8081', () => new ScriptedSocket()],
    [
      'may not be opened by the browser',
      'venue:8081',
      () => {
        throw new DOMException('mixed content', 'SecurityError');
      },
    ],
  ])('a log is read again after growing pauses if the service %s', async (_, host, openSocket) => {
    venue = new ScriptedVenue();
    venue.on('GET /v1/markets', { markets: [MARKET] });
    venue.on('GET /asyncapi.json', { servers: { venue: { ...ASYNC_API.servers.venue, host } } });
    venue.on(LOG, pageOf([STARTED], 39), pageOf([], 40), pageOf([ORDER], 41), pageOf([], 42));
    const delays: number[] = [];
    const wait = async (delayMs: number, signal: AbortSignal) => {
      delays.push(delayMs);
      if (delays.length === 3) panel.close();
      signal.throwIfAborted();
    };
    const services = { ...page, signal: page.signal, wait };
    panel = panelOf(services, openSocket);
    await panel.load();
    await expect.poll(() => delays).toEqual([400, 600, 900]);
    expect([idsOf(), panel.isLive, venue.bodiesOf('POST /v1/realtime/ticket')]).toEqual([['1', '2'], false, []]);
  });
});

test('says so if it cannot be followed any more', async () => {
  venue.on(LOG, pageOf([STARTED], 39), { status: 403, code: 'account_forbidden' });
  await panel.load();
  await expect.poll(() => panel.lost).toMatch(/account_forbidden.* do not appear here by themselves/);
});

test('shows older actions on demand', async () => {
  venue.on(LOG, pageOf([ORDER], 39, { nextAfterActionId: '2' }), pageOf([], 40), pageOf([STARTED], 41));
  await panel.load();
  await opened(1);
  expect([idsOf(), panel.log?.older]).toEqual([['2'], '2']);
  await panel.showOlder();
  expect([queries().at(-1), idsOf(), panel.log?.older]).toEqual([
    'limit=100&order=newest_first&afterActionId=2',
    ['1', '2'],
    null,
  ]);
});

test('is stopped after a second click', async () => {
  venue.on(`POST ${ACCOUNT}/agents/7/stop`, { deployment: { ...DEPLOYMENT, state: 'stopped' } });
  await live();
  panel.confirmStop();
  expect([panel.isConfirmingStop, page.focused.at(-1)]).toEqual([true, 'confirm-stop']);
  await panel.stop();
  expect([panel.isConfirmingStop, panel.log?.deployment.state]).toEqual([false, 'stopped']);
});

test('has no curve of an open position before the first price', async () => {
  venue.on(LOG, pageOf([STARTED], 39, { paperPnl: { ...BOUGHT, markPriceAtoms: null } }));
  await panel.load();
  expect([panel.equityAtoms, panel.curve.map(({ event }) => event)]).toEqual([undefined, ['Started']]);
});
