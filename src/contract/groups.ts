/** The groups of the interface's catalogue, in its order: the tags of the OpenAPI document. */
export const OPERATION_GROUPS = {
  System: 'Is the venue alive, does it take orders, what does it offer.',
  Affiliates: 'Whether the venue has an affiliate programme.',
  Orders: 'Placing, previewing, reading and cancelling orders.',
  Withdrawals: 'Requesting a withdrawal, approving it and reading how far it came.',
  Auth: 'Signing up and in, and the API key that a request carries.',
  'Realtime access': 'Tickets with which a socket of the realtime service authenticates.',
  Markets: 'The market catalogue, and the book, the candles, the trades and the stats of a market. None needs a key.',
  Leaderboard: 'Accounts that chose to be shown, by what they made.',
  'Market Data': 'All markets at once, and those that may be listed next.',
  Accounts: 'What an account holds, ordered, traded and moved, and what its owner set up for it.',
  'Unified-library v2': 'The surface under /v2 for a unified exchange client library.',
  'Agent access': 'API keys for agents: granted, listed and revoked by the owner.',
} as const;

export type OperationGroup = keyof typeof OPERATION_GROUPS;
