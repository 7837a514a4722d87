/**
 * Texts that Node 24.21 parses wrongly in this order. V8 expects the names of an object that it parsed before, and compares an expected name
 * with the raw characters of an escaped one: the second text results in the name `\`.
 */
export const NAMES_OF_ANOTHER_TEXT = [String.raw`[{"m":1,"\\":2},{"m":1,"\u0061":2}]`, String.raw`{"m":1,"\u0061":2}`] as const;
