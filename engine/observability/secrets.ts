/** Recognises secrets in log lines by their form. No code should log any: this is the last safeguard. */

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/opk_[A-Za-z0-9_-]*/g, 'opk_[redacted]'],
  [/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 [redacted]'],
  // User name and password in a URL.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/"'@]*@/gi, '$1[redacted]@'],
  // As long as a ticket, or the secret of a key.
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, '[redacted]'],
];

export function withoutSecrets(text: string): string {
  return SECRETS.reduce((left, [shape, instead]) => left.replace(shape, instead), text);
}
