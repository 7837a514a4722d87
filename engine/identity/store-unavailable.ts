/** A store that several processes share is unavailable. Whether the requested change was made is unknown. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
