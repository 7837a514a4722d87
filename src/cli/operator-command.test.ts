/** How the operator's commands refuse, ask for help, and end without a response. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { runOperatorCommand } from './operator-command.ts';
import { COMMANDS, HELP } from './operator-commands.ts';
import { operatedVenue } from './testing/operated-venue.ts';

const operated = operatedVenue();
const { run } = operated;

describe('the operator’s commands', () => {
  test('without a response name the key to repeat them with', async () => {
    const { path: silent, remove: removeSilent } = temporaryDirectory();
    const requests: string[] = [];
    const silentServer = createServer((socket) => socket.on('data', (bytes) => requests.push(String(bytes)))).listen(
      join(silent, 'operator.sock'),
    );
    try {
      const run = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', silent], 100);
      await expect(run('account credit acct-1 5')).rejects.toThrow(
        /^the venue did not respond within 0\.1 s; it may have been carried out: to repeat it safely, add --key [0-9a-f-]{36}$/,
      );
      await expect(run('account credit acct-1 5 --key mine')).rejects.toThrow(/add --key mine$/);
      await expect(run('venue status')).rejects.toThrow(/^the venue did not respond within 0\.1 s$/);
      const keys = requests.map((line) => JSON.parse(line).key);
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'mine', undefined]);
    } finally {
      silentServer.close();
      removeSilent();
    }
  });

  test.each([
    ['account credit acct-999 5', /The account does not exist/],
    ['account credit unknown 5', /there is no account unknown/],
    ['account credit acct-1 0', /0 is no amount of USD\.E/],
    [
      'account credit acct-8 -5',
      /^<amount> -5 must be a plain decimal string .+, without sign or exponent: use account debit to take money from an account; see .+ account credit --help$/,
    ],
    ['account credit acct-8 -.5', /^<amount> -\.5 must be a plain decimal string/],
    ['account create --credit -5', /^--credit -5 must be a plain decimal string .+ exponent; see .+ account create --help$/],
    ['account debit acct-1 -5', /^<amount> -5 must be a plain decimal string .+ exponent; see .+ account debit --help$/],
    ['account debit acct-1 0', /0 is no amount of USD\.E/],
    ['account debit acct-999 5', /The account does not exist/],
    ['account show acct-999', /^there is no account acct-999$/],
    ['account show unknown', /^there is no account unknown$/],
    ['account list --limit 0', /^--limit 0 must be at least 1; see .+ account list --help$/],
    ['account list --limit -5', /^--limit -5 must be a whole number from 1 to 500; see/],
    ['account list --after unknown', /^there is no account unknown$/],
    ['api-key list acct-999', /^there is no account acct-999$/],
    ['account credit acct-1 0.0000001', /at most 6 digits/],
    [
      'account create --credit ten',
      /^--credit ten must be a plain decimal string such as "0\.25", .+; see .+ account create --help$/,
    ],
    ['account create --scopes fly', /^--scopes fly must be one of read, trade, funding, agents; see .+ account create --help$/],
    ['account create --scopes=', /^--scopes "" must be one of read, trade, funding, agents; see/],
    [
      'api-key create acct-1 --scopes read,read',
      /^--scopes read,read is invalid: it names a scope twice; see .+ api-key create --help$/,
    ],
    ['account create --label a\u0007b', /^--label "a\\u0007b" must be well-formed Unicode without control characters/],
    [`account create --label ${'x'.repeat(65)}`, /^--label x{64}… must have at most 64 characters; see/],
    ['account credit acct-1 5 --reference a\u2028b', /^--reference "a\\u\{2028\}b" must be well-formed Unicode/],
    ['account credit acct-1 5 --reference=', /^--reference "" must not be empty; see/],
    ['account credit acct-1 5 --key clé', /^--key "clé" must be 1 to 128 visible ASCII characters; see/],
    ['account credit acct-1 five', /^<amount> five must be a plain decimal string/],
    ['account retire acct-1 --key k', /^account retire has no option --key; see/],
    ['market status DOGE-USD-PERP open', /there is no market DOGE-USD-PERP/],
    ['account credit acct-1', /^usage: account credit <accountId> <amount>; see/],
    ['insurance credit 0', /0 is no amount of USD\.E/],
    ['insurance credit', /^usage: insurance credit <amount>; see/],
    ['insurance credit 5 --label x', /^insurance credit has no option --label; see/],
    ['market status BTC-USD-PERP draft', /^<status> draft must be one of open, reduce_only, cancel_only, closed; see/],
    ['market status BTC-USD-PERP open', /^The market cannot change from its status to the requested one\./],
    ['account dance', /^unknown command: account dance; see/],
    ['toString', /^unknown command: toString; see/],
    ['constructor', /^unknown command: constructor; see/],
    ['venue status --label x', /^venue status has no option --label; see/],
    ['venue status --colour red', /^Unknown option '--colour'; see/],
  ])('refuse "%s" in one line', async (line, message) => {
    const before = operated.venue.directory.sequence();
    const refusal = await run(line).catch((error: unknown) => error as Error);
    expect(refusal).toMatchObject({ message: expect.stringMatching(message) });
    expect((refusal as Error).message).not.toContain('\n');
    // At most the refused command itself and the prices of that moment.
    expect(operated.venue.directory.sequence() - before).toBeLessThan(8);
  });

  test('report that no venue runs', async () => {
    await expect(runOperatorCommand(['venue', 'status', '--data-dir', '/nowhere'])).rejects.toThrow(
      /^no venue is running on \/nowhere/,
    );
  });

  test('all appear in the help', async () => {
    expect(await runOperatorCommand(['account', '--help'])).toBe(HELP);
    for (const command of [
      'account create',
      'account credit',
      'account debit',
      'account list',
      'account show',
      'account retire',
      'api-key create',
      'api-key list',
      'api-key revoke',
      'market status',
      'insurance credit',
      'venue status',
    ]) {
      expect(HELP).toContain(`  ${command}`);
      expect(COMMANDS).toHaveProperty([command]);
    }
  });

  test.each(Object.entries(COMMANDS))('print the help of %s without a venue', async (name, command) => {
    const help = await runOperatorCommand([...name.split(' '), '--help', '--data-dir', '/nowhere']);
    expect(help).toMatch(new RegExp(`^Usage: npm run openperp -- ${name}`));
    for (const operand of command.operands) expect(help.split('\n')[0]).toContain(`<${operand}>`);
    for (const option of command.options) expect(help).toContain(option === 'party' ? '  --no-party ' : `  --${option} `);
    for (const option of ['data-dir', 'json', 'help']) expect(help).toContain(`  --${option} `);
    for (const other of ['label', 'reference'] as const) expect(help.includes(other)).toBe(command.options.includes(other));
    for (const line of [...help.split('\n'), ...HELP.split('\n')]) expect(line.length).toBeLessThanOrEqual(120);
    expect(help).not.toMatch(/undefined|[ \t]$/m);
  });

  test('are refused with --help if they do not exist', async () => {
    await expect(runOperatorCommand(['account', 'dance', '--help'])).rejects.toThrow(/^unknown command: account dance; see/);
  });
});
