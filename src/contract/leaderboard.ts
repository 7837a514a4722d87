/**
 * The leaderboard: accounts that opted in, ranked by profit and volume. Figures cover full days and are rounded, so that a reader cannot
 * find the account's trades among the public ones. Account id, positions and cash are not shown.
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
    'Full days in UTC: day is the last full day, week the last 7, month the last 30, all has no limit. Of an account only the days count ' +
    'since it opted in, including that day.',
});
const orderBy = z.enum(LEADERBOARD_ORDERS);
const handle = z.string().regex(/^trader-[0-9a-f]{16}$/);
/**
 * Invisible characters, as a character class with the same meaning with and without the `u` flag: control and format characters, private
 * use, Default_Ignorable_Code_Point of Unicode, and the empty braille cell.
 */
const UNSEEN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5' +
  '\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud800-\\uf8ff\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff' +
  '\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff';
/** Invisible characters above U+FFFF, each as its surrogate pair: a range of pairs has no form that works with and without the `u` flag. */
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
/** From U+E0000 on all characters are invisible. With the `u` flag the range ends there; without it, before their first surrogate. */
const BELOW_E0000 = '[\\u0000-\\udb3f\\udfff\\ue000-\\uffff]';
const SEEN = `(?!${UNSEEN_PAIRS})(?=${BELOW_E0000})(?:[^${UNSEEN}]|[\\ud800-\\udbff][\\udc00-\\udfff])`;

/** Public, so without invisible characters: they could reverse the text or make two names look the same. */
const displayName = textInput(32)
  .regex(new RegExp(`^(?!\\s|.*\\s$)(?:${SEEN})+$`), 'must have 1 to 32 visible characters, without spaces at its ends')
  .refine((name) => !/\p{Cn}/u.test(name), 'it has a character that Unicode has not assigned');

export const leaderboardEntry = z
  .strictObject({
    rank: z.int().min(1),
    handle: handle.meta({ description: 'Random; it stays the same until the account is hidden.' }),
    displayName: displayName.nullable().meta({ description: 'Chosen by the owner. Not verified and not unique.' }),
    pnlAtoms: signedAtoms.meta({
      description:
        'Realized PnL minus fees and funding in the window, rounded toward zero to two significant digits. Unrealized PnL does not count.',
    }),
    pnl: signedDecimal.meta({ description: 'pnlAtoms as a decimal.' }),
    volumeAtoms: atoms.meta({
      description: 'The notional traded in the window, as maker and as taker, rounded in the same way.',
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
    sinceEpochMs: epochMs.nullable().meta({ description: 'The start of the window; null for all.' }),
    untilEpochMs: epochMs.meta({
      description:
        "The end of the last full day, by the time of the venue's newest record. Later trades count from the next day on.",
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
    handle: handle.nullable().meta({ description: 'The handle of the account on the leaderboard; null while it is not shown.' }),
  })
  .meta({ id: 'LeaderboardListing', 'x-openperp-ours': true });
export type LeaderboardListing = z.infer<typeof leaderboardListing>;

export const leaderboardListingBody = z
  .strictObject({
    shown: z.boolean(),
    displayName: displayName.optional().meta({ description: 'Optional; without it only the handle is shown.' }),
  })
  .superRefine(({ shown, displayName: name }, context) => {
    if (!shown && name !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['displayName'],
        message: 'an account that is not shown has no name: omit it',
      });
  })
  .meta({
    id: 'LeaderboardListingChange',
    description: 'displayName is allowed only with shown: true.',
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
    'The accounts that opted in, each with a random handle. They are ranked once a day, by the rounded figures. A cursor continues after a ' +
    'rank: if a new day starts or an account leaves between two pages, an account may be shown twice or not at all.',
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  query: z.strictObject({
    window: ours(window.default('day'), 'The days that count.'),
    orderBy: ours(orderBy.default('pnl'), 'The figure that ranks. Ties are ranked by the other figure, then in arbitrary order.'),
    limit: limitInput,
    cursor: ours(cursorInput, 'The nextCursor of the previous page. window and orderBy must stay the same.'),
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
  description: 'Accounts are hidden until their owner opts in.',
  isOurs: true,
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: leaderboardListing, description: 'The listing.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const setLeaderboardListing = {
  id: 'setLeaderboardListing',
  group: 'Leaderboard',
  method: 'PUT',
  path: '/v1/accounts/{accountId}/leaderboard',
  summary: 'Show the account on the leaderboard, or hide it',
  description:
    'While the account is shown, its profit and volume are public; its positions never are. It appears on the leaderboard from the next UTC ' +
    'day on. Hiding takes effect at once and deletes name and handle. Showing it again later starts with a new handle and without earlier ' +
    'figures. Repeating it is a no-op. Has the same rate limit as changes of favorites.',
  isOurs: true,
  access: 'bearer:trade',
  limit: 'settings',
  params: accountParams,
  body: leaderboardListingBody,
  success: { status: 200, schema: leaderboardListing, description: 'The listing after the change.' },
  refusals: ['account_forbidden', 'account_retired', 'account_legacy_excluded', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const leaderboardOperations = { getLeaderboard, getLeaderboardListing, setLeaderboardListing };
