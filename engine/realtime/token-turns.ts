/**
 * Turns whose costs in tokens differ: deficit round robin (Shreedhar, Varghese 1995) with a quantum of one token. A member with a
 * more expensive turn waits more rounds, so all get the same number of tokens.
 */
export class TokenTurns<Member> {
  /** The credit of each member, in the order of turns. */
  readonly #credits = new Map<Member, number>();

  get size(): number {
    return this.#credits.size;
  }

  /** Adds a member behind the others; no effect if it is there. */
  add(member: Member): void {
    if (!this.#credits.has(member)) this.#credits.set(member, 0);
  }

  delete(member: Member): void {
    this.#credits.delete(member);
  }

  /** The member whose turn it is, until `paid` is called. `undefined` if there is no member. */
  next(costOf: (member: Member) => number): Member | undefined {
    for (const [member, saved] of this.#credits) {
      if (saved + 1 >= costOf(member)) return member;
      this.#requeue(member, saved + 1);
    }
    return undefined;
  }

  /** Charges a member for its turn, and puts it behind the others. */
  paid(member: Member, cost: number): void {
    this.#requeue(member, Math.max(0, this.#credits.get(member)! + 1 - cost));
  }

  #requeue(member: Member, saved: number): void {
    this.#credits.delete(member);
    this.#credits.set(member, saved);
  }
}
