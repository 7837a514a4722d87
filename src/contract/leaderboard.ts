/**
 * The leaderboard: accounts that chose to be shown, by what they gained and traded. Nothing else of them is told: no account id, no
 * position, no cash. Who hides again is forgotten, name and handle.
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
import type { Operation } from './operation.ts';

export const LEADERBOARD_WINDOWS = ['day', 'week', 'month', 'all'] as const;
export type LeaderboardWindow = (typeof LEADERBOARD_WINDOWS)[number];
export const LEADERBOARD_ORDERS = ['pnl', 'volume'] as const;
export type LeaderboardOrder = (typeof LEADERBOARD_ORDERS)[number];

const window = z.enum(LEADERBOARD_WINDOWS).meta({
  description: 'Days of UTC, today included: day is today, week the last 7, month the last 30, all everything.',
});
const orderBy = z.enum(LEADERBOARD_ORDERS);
const handle = z.string().regex(/^trader-[0-9a-f]{16}$/);
/** Seen by everybody: nothing invisible in it that could turn the text around or make two names look the same. */
const displayName = textInput(32).regex(
  /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u,
  'must be 1 to 32 visible characters, and begin and end with one',
);

export const leaderboardEntry = z
  .strictObject({
    rank: z.int().min(1),
    handle: handle.meta({ description: 'Random, and the same for as long as the account is shown without a break.' }),
    displayName: displayName
      .optional()
      .meta({ description: 'Chosen by the owner; nobody has checked it, and others may have the same.' }),
    pnlAtoms: signedAtoms.meta({
      description: 'Realized in the window: PnL less fees and funding. What is open does not count.',
    }),
    pnl: signedDecimal.meta({ description: 'pnlAtoms as a decimal.' }),
    volumeAtoms: atoms.meta({ description: 'The notional that was traded in the window, as maker and as taker.' }),
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
    sinceEpochMs: epochMs.optional().meta({ description: 'When the window begins; absent where it has no beginning.' }),
    rankedAtEpochMs: epochMs.meta({
      description: 'When the ranking was made. It is made anew when somebody asks, every ten seconds at most.',
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
    displayName: displayName.optional(),
    handle: handle
      .optional()
      .meta({ description: 'What the account is known by on the leaderboard; absent while it is not shown.' }),
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
    'A cursor goes on behind a rank: where the ranking was made anew between two pages, who has moved may be shown twice or not at all.',
  access: 'none',
  query: z.strictObject({
    window: ours(window.default('day'), 'Which days count.'),
    orderBy: ours(orderBy.default('pnl'), 'What ranks them; equal ones are ranked by the other figure.'),
    limit: limitInput,
    cursor: ours(cursorInput, 'The nextCursor of the page before, with the same window and orderBy.'),
  }),
  success: { status: 200, schema: leaderboard, description: 'The ranking.' },
  refusals: ['invalid_cursor'],
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
  refusals: ['account_forbidden'],
} as const satisfies Operation;

export const setLeaderboardListing = {
  id: 'setLeaderboardListing',
  group: 'Leaderboard',
  method: 'PUT',
  path: '/v1/accounts/{accountId}/leaderboard',
  summary: 'Show the account on the leaderboard, or hide it',
  description:
    'Its own choice: what it gained and traded is public while it is shown, its positions never are. Hiding takes effect at once and ' +
    'forgets name and handle; showing it again later begins with a new handle. Repeating it is a no-op. Limited as changes of favorites are.',
  isOurs: true,
  access: 'bearer:trade',
  params: accountParams,
  body: leaderboardListingBody,
  success: { status: 200, schema: leaderboardListing, description: 'As it is from now on.' },
  refusals: ['account_forbidden', 'account_retired', 'rate_limited', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const leaderboardOperations = { getLeaderboard, getLeaderboardListing, setLeaderboardListing };
