/** Recognises secrets in log lines by their form and by the names beside them. No code should log any: this is the last safeguard. */

/** Fields of requests, commands and stored entries. Their values are redacted whatever form they have. */
const SECRET_FIELDS = [
  'accessToken|apiKey|attempt|callback|clientSecret|deviceCode|passphrase|ticket|userCode',
  'attestationObject|authenticatorData|clientData|clientDataJSON|publicKey|signature|userHandle',
  'commandDigest|commandId|digest|identityDigest|ledgerKey',
  'access_token|client_secret|code_verifier|id_token|nonce|refresh_token',
].join('|');

const SECRETS: readonly (readonly [RegExp, string])[] = [
  // API keys, owners' sessions, device codes, sign-in attempts.
  [/(op[kdrs])_[A-Za-z0-9_-]*/g, '$1_[redacted]'],
  // User codes of device grants, as the venue and as people write them.
  [/\b[BCDFGHJKLMNPQRSTVWXZ]{4}-?[BCDFGHJKLMNPQRSTVWXZ]{4}\b/gi, '[redacted]'],
  [/\b(bearer|basic)\s+[^\s"',]+/gi, '$1 [redacted]'],
  // User name and password in a URL.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/"'@]*@/gi, '$1[redacted]@'],
  // In JSON, also inside a text of JSON, and as Node prints objects.
  [new RegExp(`\\b(${SECRET_FIELDS})(\\\\*["']?\\s*:\\s*\\\\*["'])[^"'\\\\]+`, 'g'), '$1$2[redacted]'],
  // A code of a sign-in provider. Codes of errors are words of one case.
  [/\b(code\\*["']?\s*:\s*\\*["'])(?=[^"'\\]*[a-z])(?=[^"'\\]*[A-Z0-9])[^"'\\]{16,}/g, '$1[redacted]'],
  // The answer of a sign-in provider, and what its token endpoint gets.
  [/\b(code|state|nonce|code_verifier|client_secret|(?:id|access|refresh)_token)=[^\s&"'\\]{8,}/gi, '$1=[redacted]'],
  // JSON web tokens.
  [/\beyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g, '[redacted]'],
  // Keys of ledger commands, and their ids: with one that is due, another command can be submitted first.
  [/\b[0-9a-f]{32}\.[0-9a-f]{32}\b/g, '[redacted]'],
  [/\b[0-9a-f]{32}-([a-z]+(?:_[a-z]+)*(?:-[0-9]+)?)(?:\.[0-9a-f]{32})?\b/g, '[redacted]-$1'],
  // Base64url at least as long as a ticket, the secret of a key or a challenge: also signatures, authenticator data, client data.
  // A digest in hex is no secret.
  [/(?<![A-Za-z0-9_-])(?![0-9a-f]+(?![A-Za-z0-9_-]))[A-Za-z0-9_-]{43,}/g, '[redacted]'],
];

export function withoutSecrets(text: string): string {
  return SECRETS.reduce((left, [shape, instead]) => left.replace(shape, instead), text);
}
