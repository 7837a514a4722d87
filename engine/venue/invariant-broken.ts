/** The state violates an invariant. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}
