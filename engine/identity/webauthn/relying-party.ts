/** The site that passkeys are bound to. It is configuration: no header of a request changes it. */

export interface RelyingParty {
  /** A host name. Authenticators sign its SHA-256. */
  readonly id: string;
  /** The origins whose pages may use its passkeys, as browsers write them. */
  readonly origins: readonly string[];
}

/** The relying party of pages at this origin. Throws if browsers would not permit passkeys there. */
export function relyingPartyOf(publicOrigin: string): RelyingParty {
  const url = URL.canParse(publicOrigin) ? new URL(publicOrigin) : undefined;
  const isOrigin = url !== undefined && url.origin === publicOrigin;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === 'localhost');
  const isName = url !== undefined && !/^[0-9.]+$|^\[/.test(url.hostname);
  if (isOrigin && isSecure && isName) return { id: url.hostname, origins: [publicOrigin] };
  throw new Error(
    `expected an origin such as https://venue.example or http://localhost:8080 (browsers permit passkeys on https and on localhost), got ${JSON.stringify(publicOrigin)}`,
  );
}
