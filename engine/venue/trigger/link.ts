/** A doubly linked ring. A lone link is the head of an empty list, so items leave a list without knowing which one it is. */

export class Link {
  next: Link = this;
  before: Link = this;

  get isAlone(): boolean {
    return this.next === this;
  }

  /** Takes the link out of its list, if it is in one. */
  leave(): void {
    this.before.next = this.next;
    this.next.before = this.before;
    this.next = this;
    this.before = this;
  }

  /** Adds a link at the end of the list of which this is the head. */
  append(link: Link): void {
    link.before = this.before;
    link.next = this;
    this.before.next = link;
    this.before = link;
  }

  /** Moves all links of another list to the end of this one, in their order. */
  appendAll(head: Link): void {
    if (head.isAlone) return;
    head.next.before = this.before;
    this.before.next = head.next;
    head.before.next = this;
    this.before = head.before;
    head.next = head;
    head.before = head;
  }
}
