/** Something that is kept where several processes reach it cannot be reached just now. Whether a step of it was taken, nobody knows. */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}
