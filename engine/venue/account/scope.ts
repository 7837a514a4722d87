/** The scopes of API keys: what a key may do (5.3 of the interface). */

export const SCOPES = ['read', 'trade', 'funding', 'agents'] as const;
export type Scope = (typeof SCOPES)[number];
