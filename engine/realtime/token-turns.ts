/**
 * Turns whose costs in tokens differ: deficit round robin (Shreedhar, Varghese 1995) with a quantum of one token. A member with a
 * more expensive turn waits more rounds, so all get the same number of tokens.
 */
export class TokenTurns<Member> {
  /** The credit of each member, in the order of turns. */
  readonly #saved = new Map<Member, number>();

  get size(): number {
    return this.#saved.size;
  }

  /** Adds a member behind the others; no effect if it is there. */
  add(member: Member): void {
    if (!this.#saved.has(member)) this.#saved.set(member, 0);
  }

  delete(member: Member): void {
    this.#saved.delete(member);
  }

  /** The member whose turn it is, until `paid` is called. `undefined` if there is none. */
  next(costOf: (member: Member) => number): Member | undefined {
    for (const [member, saved] of this.#saved) {
      if (saved + 1 >= costOf(member)) return member;
      this.#putBehind(member, saved + 1);
    }
    return undefined;
  }

  /** Charges a member for its turn, and puts it behind the others. */
  paid(member: Member, cost: number): void {
    this.#putBehind(member, Math.max(0, this.#saved.get(member)! + 1 - cost));
  }

  #putBehind(member: Member, saved: number): void {
    this.#saved.delete(member);
    this.#saved.set(member, saved);
  }
}
