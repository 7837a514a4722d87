/** A store that several processes share is unavailable. Whether the requested change was made is unknown. */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}
