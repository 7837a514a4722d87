import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OperatorAction, OperatorRequest } from './action.ts';
import { OperatorRefusal } from './action.ts';
import { callOperator } from './client.ts';
import { type OperatorSocket, openOperatorSocket } from './socket-server.ts';

let directory = '';
let socket: OperatorSocket | undefined;
const actions: OperatorAction[] = [];
const internalErrors: unknown[] = [];
const lines: string[] = [];

async function open(perform: (action: OperatorAction) => Promise<object> = async () => ({ done: true })): Promise<void> {
  directory ||= mkdtempSync(join(tmpdir(), 'openperp-operator-'));
  socket = await openOperatorSocket({
    dataDirectory: directory,
    perform: (action) => {
      actions.push(action);
      return perform(action);
    },
    onInternalError: (error) => internalErrors.push(error),
    log: (line) => lines.push(line),
  });
}

afterEach(async () => {
  await socket?.close();
  rmSync(directory, { recursive: true, force: true });
  [directory, socket] = ['', undefined];
  actions.length = 0;
  internalErrors.length = 0;
  lines.length = 0;
});

/** The socket's responses to raw text, until it closes or `lines` lines have arrived. */
function raw(text: string, lines: number): Promise<string[]> {
  return new Promise((resolve) => {
    let received = '';
    const connection = createConnection(join(directory, 'operator.sock'), () => connection.write(text));
    connection.setEncoding('utf8');
    connection.on('data', (part: string) => {
      received += part;
      if (received.split('\n').length > lines) connection.destroy();
    });
    connection.on('error', () => {});
    connection.on('close', () => resolve(received.split('\n').slice(0, -1)));
  });
}

describe('operator’s socket', () => {
  test('is accessible only to its user, and replaces one that a crash left', async () => {
    await open();
    expect(statSync(join(directory, 'operator.sock')).mode & 0o777).toBe(0o600);
    const crashed = socket;
    await open();
    expect(await callOperator(directory, { action: 'venue.status' })).toEqual({ done: true });
    await crashed?.close();
  });

  test.each([
    ['a directory', (path: string) => mkdirSync(join(path, 'own'), { recursive: true })],
    ['a file', (path: string) => writeFileSync(path, 'own')],
    ['a link', (path: string) => symlinkSync('elsewhere', path)],
  ])('sets aside %s in its place', async (_, put) => {
    directory = mkdtempSync(join(tmpdir(), 'openperp-operator-'));
    put(join(directory, 'operator.sock'));
    await open();
    expect(lines).toEqual([expect.stringMatching(/operator\.sock was not a socket and is now operator\.sock\.aside-1$/)]);
    expect(readdirSync(directory).sort()).toEqual(['operator.sock', 'operator.sock.aside-1']);
    expect(await callOperator(directory, { action: 'venue.status' })).toEqual({ done: true });
  });

  test('fills in the defaults of missing fields', async () => {
    await open();
    await callOperator(directory, { action: 'account.create' });
    expect(actions).toEqual([{ action: 'account.create', label: '', credit: '0', scopes: ['read', 'trade'], party: true }]);
  });

  test('responds to lines in order, including invalid ones', async () => {
    await open(async (action) => {
      await new Promise((resolve) => setTimeout(resolve, action.action === 'venue.status' ? 30 : 0));
      return { action: action.action };
    });
    const status = JSON.stringify({ action: 'venue.status' });
    const retire = JSON.stringify({ action: 'account.retire', accountId: 'acct-1' });
    const escaped = String.raw`{"\u0061ction":"venue.status"}`;
    const responses = await raw(`${status}\nnonsense\n${retire}\n{"action":"dance"}\n${escaped}\n`, 5);
    expect(responses.map((line) => JSON.parse(line))).toEqual([
      { ok: true, result: { action: 'venue.status' } },
      { ok: false, error: { code: 'invalid_request', message: 'the line is not JSON' } },
      { ok: true, result: { action: 'account.retire' } },
      { ok: false, error: { code: 'invalid_request', message: 'The field action does not match any of the allowed forms.' } },
      {
        ok: false,
        error: {
          code: 'invalid_request',
          message: 'The line has an escape in the name of a field: write the name without a backslash.',
        },
      },
    ]);
  });

  test.each([
    [{ action: 'account.create', colour: 'red' }, /^Unknown field "colour": remove it\.$/],
    [{ action: 'account.create', credit: '-5' }, /^The field credit must be a plain decimal/],
    [{ action: 'account.create', scopes: [] }, /^The field scopes must not be empty\.$/],
    [{ action: 'account.create', scopes: ['fly'] }, /^The field scopes\.0 must be one of read, trade, funding, agents\.$/],
    [{ action: 'account.credit', accountId: 'acct-1' }, /^The field amount is required\.$/],
    [{ action: 'market.status', marketId: 'BTC-USD-PERP', status: 'shut' }, /^The field status must be one of open, /],
    [[], /^The body must be one JSON object\.$/],
  ])('refuses %j before anything happens', async (request, message) => {
    await open();
    await expect(callOperator(directory, request as OperatorRequest)).rejects.toThrow(message);
    expect(actions).toEqual([]);
  });

  test('refuses a line that is nested too deeply', async () => {
    await open();
    const length = '['.repeat(8_000) + ']'.repeat(8_000);
    const [response] = await raw(`{"action":"account.create","label":{"length":${length}}}\n`, 1);
    expect(JSON.parse(response!)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect([actions, internalErrors]).toEqual([[], []]);
  });

  test('disconnects a caller that never ends a line', async () => {
    await open();
    expect(await raw('x'.repeat(40_000), 1)).toEqual([]);
    const [response] = await raw(`${'x'.repeat(16_385)}\n`, 1);
    expect(response ?? '').not.toContain('"ok":true');
    expect(await callOperator(directory, { action: 'venue.status' })).toEqual({ done: true });
  });

  test("returns a refusal's message, and reports an internal error only to the venue", async () => {
    await open(async ({ action }) => {
      if (action === 'venue.status') throw new Error('secret detail');
      throw new OperatorRefusal('account_busy', 'the account is busy');
    });
    await expect(callOperator(directory, { action: 'account.retire', accountId: 'acct-1' })).rejects.toMatchObject({
      code: 'account_busy',
      message: 'the account is busy',
    });
    expect(internalErrors).toEqual([]);
    await expect(callOperator(directory, { action: 'venue.status' })).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.not.stringContaining('secret'),
    });
    expect(internalErrors).toHaveLength(1);
  });

  test('rejects with one line when no venue is running', async () => {
    await open();
    await socket?.close();
    socket = undefined;
    await expect(callOperator(directory, { action: 'venue.status' })).rejects.toThrow(
      `no venue is running on ${directory}: start one there, or name its --data-dir`,
    );
  });
});

describe('exception', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const plant = (method: 'write' | 'setEncoding', isOurs: (given: readonly unknown[]) => boolean) => {
    const real = Socket.prototype[method] as (...given: unknown[]) => unknown;
    let throws = 1;
    vi.spyOn(Socket.prototype, method as 'write').mockImplementation(function (this: Socket, ...given: unknown[]) {
      if (isOurs(given) && throws-- > 0) throw new Error('planted');
      return real.apply(this, given) as boolean;
    });
  };

  test.each([
    ['in writing a response', () => plant('write', ([text]) => String(text).startsWith('{"ok"'))],
    ['in accepting a connection', () => plant('setEncoding', () => new Error('where').stack?.includes('socket-server') === true)],
  ])('%s ends only its connection', async (_, plantIt) => {
    await open();
    plantIt();
    const line = `${JSON.stringify({ action: 'venue.status' })}\n`;
    expect(await raw(line, 1)).toEqual([]);
    expect(internalErrors).toEqual([expect.objectContaining({ message: 'planted' })]);
    expect(await raw(line, 1)).toEqual(['{"ok":true,"result":{"done":true}}']);
  });
});
