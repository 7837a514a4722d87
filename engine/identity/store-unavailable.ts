/** A store that several processes share is unavailable. Whether the requested change was made is unknown. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** What it stores, for clients. */
  readonly dependency: string;

  constructor(message: string, { dependency = 'realtime_tickets', ...options }: ErrorOptions & { dependency?: string } = {}) {
    super(message, options);
    this.dependency = dependency;
  }
}
