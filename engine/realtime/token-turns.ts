/**
 * Who is next, where turns cost different numbers of tokens: deficit round robin (Shreedhar, Varghese 1995) with a quantum of one token. A
 * member whose turn costs more waits as many rounds, so all get the same tokens.
 */
export class TokenTurns<Member> {
  /** What each has saved, in the order of their turns. */
  readonly #saved = new Map<Member, number>();

  get size(): number {
    return this.#saved.size;
  }

  /** Puts it behind the others; no effect if it is among them. */
  add(member: Member): void {
    if (!this.#saved.has(member)) this.#saved.set(member, 0);
  }

  delete(member: Member): void {
    this.#saved.delete(member);
  }

  /** The member whose turn it is, until it has paid. `undefined` if there are none. */
  next(costOf: (member: Member) => number): Member | undefined {
    for (const [member, saved] of this.#saved) {
      if (saved + 1 >= costOf(member)) return member;
      this.#putBehind(member, saved + 1);
    }
    return undefined;
  }

  /** It has had its turn, and goes behind the others. */
  paid(member: Member, cost: number): void {
    this.#putBehind(member, Math.max(0, this.#saved.get(member)! + 1 - cost));
  }

  #putBehind(member: Member, saved: number): void {
    this.#saved.delete(member);
    this.#saved.set(member, saved);
  }
}
