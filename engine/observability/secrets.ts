/** Recognises secrets in log lines by their form. No code should log any: this is the last safeguard. */

const SECRETS: readonly (readonly [RegExp, string])[] = [
  // API keys, owners' sessions, device codes, sign-in attempts.
  [/(op[kdrs])_[A-Za-z0-9_-]*/g, '$1_[redacted]'],
  // User codes of device grants.
  [/\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/gi, '[redacted]'],
  [/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 [redacted]'],
  // User name and password in a URL.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/"'@]*@/gi, '$1[redacted]@'],
  // Base64url at least as long as a ticket, the secret of a key or a challenge: also signatures, authenticator data, client data.
  // A digest in hex is no secret.
  [/(?<![A-Za-z0-9_-])(?![0-9a-f]+(?![A-Za-z0-9_-]))[A-Za-z0-9_-]{43,}/g, '[redacted]'],
];

export function withoutSecrets(text: string): string {
  return SECRETS.reduce((left, [shape, instead]) => left.replace(shape, instead), text);
}
