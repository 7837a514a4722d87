/**
 * The leaderboard: accounts that chose to be shown, by what they gained and traded, in full days and rounded, so that nobody can tell
 * their trades among the public ones. Nothing else of them is told: no account id, no position, no cash.
 */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  atoms,
  cursorInput,
  decimal,
  epochMs,
  freshness,
  limitInput,
  nextCursor,
  ours,
  signedAtoms,
  signedDecimal,
  textInput,
} from './fields.ts';
import { MARKET_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';

export const LEADERBOARD_WINDOWS = ['day', 'week', 'month', 'all'] as const;
export type LeaderboardWindow = (typeof LEADERBOARD_WINDOWS)[number];
export const LEADERBOARD_ORDERS = ['pnl', 'volume'] as const;
export type LeaderboardOrder = (typeof LEADERBOARD_ORDERS)[number];

const window = z.enum(LEADERBOARD_WINDOWS).meta({
  description:
    'Full days of UTC: day is the last one, week the last 7, month the last 30, all everything. Of an account only those days count since ' +
    'it is shown, the one in which it chose so included.',
});
const orderBy = z.enum(LEADERBOARD_ORDERS);
const handle = z.string().regex(/^trader-[0-9a-f]{16}$/);
/**
 * In the words of a pattern that means the same with the `u` flag and without: control and format characters, private use, what Unicode
 * says is shown as nothing (Default_Ignorable_Code_Point), and the empty braille cell.
 */
const UNSEEN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5' +
  '\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud800-\\uf8ff\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff' +
  '\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff';
/** Those beyond U+FFFF, each as the pair that it is: no range of pairs can be read in both ways. */
const UNSEEN_PAIRS = [
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
]
  .flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)))
  .map((pair) => [0, 1].map((half) => `\\u${pair.charCodeAt(half).toString(16)}`).join(''))
  .join('|');
/** From U+E0000 on there is nothing that anybody sees. As a range of code points it ends there, as one of halves before the pairs from there on. */
const BELOW_E0000 = '[\\u0000-\\udb3f\\udfff\\ue000-\\uffff]';
const SEEN = `(?!${UNSEEN_PAIRS})(?=${BELOW_E0000})(?:[^${UNSEEN}]|[\\ud800-\\udbff][\\udc00-\\udfff])`;

/** Seen by everybody: nothing invisible in it that could turn the text around or make two names look the same. */
const displayName = textInput(32)
  .regex(new RegExp(`^(?!\\s|.*\\s$)(?:${SEEN})+$`), 'must be 1 to 32 visible characters, and begin and end with one')
  .refine((name) => !/\p{Cn}/u.test(name), 'it has a character that Unicode has not assigned, which everybody sees otherwise');

export const leaderboardEntry = z
  .strictObject({
    rank: z.int().min(1),
    handle: handle.meta({ description: 'Random, and the same for as long as the account is shown without a break.' }),
    displayName: displayName
      .nullable()
      .meta({ description: 'Chosen by the owner; nobody has checked it, and others may have the same.' }),
    pnlAtoms: signedAtoms.meta({
      description:
        'Realized in the window: PnL less fees and funding, with two significant digits, rounded toward zero. What is open does not count.',
    }),
    pnl: signedDecimal.meta({ description: 'pnlAtoms as a decimal.' }),
    volumeAtoms: atoms.meta({
      description: 'The notional that was traded in the window, as maker and as taker, rounded likewise.',
    }),
    volume: decimal.meta({ description: 'volumeAtoms as a decimal.' }),
  })
  .meta({ id: 'LeaderboardEntry', 'x-openperp-ours': true });
export type LeaderboardEntry = z.infer<typeof leaderboardEntry>;

export const leaderboard = z
  .strictObject({
    version: z.literal('external-leaderboard/v1'),
    window,
    orderBy,
    entries: z.array(leaderboardEntry),
    sinceEpochMs: epochMs.nullable().meta({ description: 'When the window begins; null where it has no beginning.' }),
    untilEpochMs: epochMs.meta({
      description: "When the last full day ended, by the venue's newest record. What came later counts from the next day on.",
    }),
    nextCursor,
    freshness,
  })
  .meta({ id: 'Leaderboard', 'x-openperp-ours': true });
export type Leaderboard = z.infer<typeof leaderboard>;

export const leaderboardListing = z
  .strictObject({
    version: z.literal('external-leaderboard-listing/v1'),
    accountId,
    shown: z.boolean(),
    displayName: displayName.nullable(),
    handle: handle
      .nullable()
      .meta({ description: 'What the account is known by on the leaderboard; null while it is not shown.' }),
  })
  .meta({ id: 'LeaderboardListing', 'x-openperp-ours': true });
export type LeaderboardListing = z.infer<typeof leaderboardListing>;

export const leaderboardListingBody = z
  .strictObject({
    shown: z.boolean(),
    displayName: displayName.optional().meta({ description: 'May be left out; without it the handle is all that is shown.' }),
  })
  .superRefine(({ shown, displayName: name }, context) => {
    if (!shown && name !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['displayName'],
        message: 'an account that is not shown has no name: leave it out',
      });
  })
  .meta({
    id: 'LeaderboardListingChange',
    description: 'displayName goes with shown: true only.',
    oneOf: [
      { properties: { shown: { const: true } }, required: ['shown'] },
      { properties: { shown: { const: false }, displayName: false }, required: ['shown'] },
    ],
  });
export type LeaderboardListingBody = z.output<typeof leaderboardListingBody>;

export const getLeaderboard = {
  id: 'getLeaderboard',
  group: 'Leaderboard',
  method: 'GET',
  path: '/v1/leaderboard',
  summary: 'Leaderboard',
  description:
    'The accounts that chose to be shown, and none else, each by a handle that says nothing of the account. ' +
    'They are ranked once a day, by the figures as they are shown. A cursor goes on behind a rank: where a new day has begun or somebody ' +
    'has left between two pages, who has moved may be shown twice or not at all.',
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  query: z.strictObject({
    window: ours(window.default('day'), 'Which days count.'),
    orderBy: ours(
      orderBy.default('pnl'),
      'What ranks them; equal ones are ranked by the other figure, and then in no order that means anything.',
    ),
    limit: limitInput,
    cursor: ours(cursorInput, 'The nextCursor of the page before, with the same window and orderBy.'),
  }),
  success: { status: 200, schema: leaderboard, description: 'The ranking.' },
  refusals: ['invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getLeaderboardListing = {
  id: 'getLeaderboardListing',
  group: 'Leaderboard',
  method: 'GET',
  path: '/v1/accounts/{accountId}/leaderboard',
  summary: 'Whether the account is on the leaderboard',
  description: 'No account is, before its owner says so.',
  isOurs: true,
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: leaderboardListing, description: 'As it is.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const setLeaderboardListing = {
  id: 'setLeaderboardListing',
  group: 'Leaderboard',
  method: 'PUT',
  path: '/v1/accounts/{accountId}/leaderboard',
  summary: 'Show the account on the leaderboard, or hide it',
  description:
    'Its own choice: what it gained and traded is public while it is shown, its positions never are. It is on the leaderboard from the ' +
    'next day of UTC on. Hiding takes effect at once and forgets name and handle; showing it again later begins anew, with a new handle ' +
    'and without what came before. Repeating it is a no-op. Limited as changes of favorites are.',
  isOurs: true,
  access: 'bearer:trade',
  limit: 'settings',
  params: accountParams,
  body: leaderboardListingBody,
  success: { status: 200, schema: leaderboardListing, description: 'As it is from now on.' },
  refusals: ['account_forbidden', 'account_retired', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const leaderboardOperations = { getLeaderboard, getLeaderboardListing, setLeaderboardListing };
