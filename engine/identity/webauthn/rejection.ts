/** Why a ceremony of a passkey or of a setup key is rejected: a closed set, for the caller's response and its log. */
export type CeremonyRejection =
  /** Not canonical base64url, not the expected structure, truncated, or with trailing bytes. */
  | 'malformed'
  | 'oversized'
  /** Another credential than the one that the challenge is for. */
  | 'credential_mismatch'
  /** A passkey whose id looks like that of a setup key, or the reverse. */
  | 'credential_id_not_allowed'
  | 'type_mismatch'
  | 'challenge_mismatch'
  | 'origin_mismatch'
  | 'cross_origin'
  | 'relying_party_mismatch'
  | 'user_not_present'
  | 'user_not_verified'
  | 'counter_not_increased'
  | 'algorithm_not_allowed'
  /** A statement about the authenticator's maker: the venue requests none, and checking one needs requests to foreign servers. */
  | 'attestation_not_allowed'
  | 'signature_invalid';

/** Ends a check from any depth. It never leaves this folder: the exported functions return its reason. */
export class CeremonyRejected extends Error {
  override readonly name = 'CeremonyRejected';
  readonly reason: CeremonyRejection;

  constructor(reason: CeremonyRejection) {
    super(reason);
    this.reason = reason;
  }
}

export function requireThat(isMet: boolean, reason: CeremonyRejection): void {
  if (!isMet) throw new CeremonyRejected(reason);
}

export type Judgement<Result> = Result | { readonly rejection: CeremonyRejection };

/** The result, or the reason of a rejection. Anything else that parsing of foreign bytes throws is `otherwise`. */
export async function judged<Result>(
  judge: () => Result | Promise<Result>,
  otherwise: CeremonyRejection,
): Promise<Judgement<Result>> {
  try {
    return await judge();
  } catch (error) {
    return { rejection: error instanceof CeremonyRejected ? error.reason : otherwise };
  }
}
