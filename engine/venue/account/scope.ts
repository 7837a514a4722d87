/** The scopes of API keys. */

/** What an API key may do (5.3 of the interface). */
export const SCOPES = ['read', 'trade', 'funding', 'agents'] as const;
export type Scope = (typeof SCOPES)[number];
