/** The groups of the interface's catalogue, in its order: the tags of the OpenAPI document. */
export const OPERATION_GROUPS = {
  System: 'Liveness, readiness and the documents of the contract.',
  Affiliates: 'Whether the affiliate program is on.',
  Orders: 'Placing, previewing, reading and cancelling orders.',
  Withdrawals: 'Requesting a withdrawal, approving it and reading its status.',
  Auth: 'Signing up and in, and the API key of a request.',
  'Realtime access': 'Tickets that authenticate a socket of the realtime service.',
  Markets: 'The market catalogue, and the book, the candles, the trades and the stats of a market. No API key needed.',
  Leaderboard: 'Accounts that opted in, ranked by profit or volume.',
  'Market Data': 'Stats of all markets, and candidates for listing.',
  Accounts: 'Balances, positions, orders, fills, funding and transfers of an account, and its settings.',
  'Unified-library v2': 'The API under /v2 for a unified exchange client library.',
  'Agent access': 'API keys for agents: granted, listed and revoked by the owner. Strategies that agents can run.',
} as const;

export type OperationGroup = keyof typeof OPERATION_GROUPS;
