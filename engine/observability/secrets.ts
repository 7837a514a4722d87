/** What must not be in a log, by its shape. Nothing that is logged should hold any of it: this is the last door. */

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/opk_[A-Za-z0-9_-]*/g, 'opk_[redacted]'],
  [/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 [redacted]'],
  // Who and with what, in an address.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/"'@]*@/gi, '$1[redacted]@'],
  // As long as a ticket, or the secret of a key.
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, '[redacted]'],
];

export function withoutSecrets(text: string): string {
  return SECRETS.reduce((left, [shape, instead]) => left.replace(shape, instead), text);
}
