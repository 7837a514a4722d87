/** The idempotency key of a request: the same while its response is unknown and its content does not change. */
import { isPassing } from '../venue/venue-error.ts';

export class RequestKey {
  #content = '';
  #key = '';

  /** Sends with the key. If it fails for now, sending the same content again repeats the request instead of making another. */
  async send<Result>(content: unknown, send: (key: string) => Promise<Result>): Promise<Result> {
    const text = JSON.stringify(content);
    if (this.#content !== text) this.#key = crypto.randomUUID();
    this.#content = text;
    try {
      const result = await send(this.#key);
      this.#content = '';
      return result;
    } catch (error) {
      if (!isPassing(error)) this.#content = '';
      throw error;
    }
  }
}
