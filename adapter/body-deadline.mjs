/**
 * ccxt's `timeout` ends with the headers of a response: a body that stalls would block forever. This module gives the body the
 * same time again, then aborts the connection. Only npm's ccxt needs it; its Python version bounds both.
 */
import ccxt from 'ccxt';

export function boundBodies(exchangeClass) {
  const { handleRestResponse, undiciRequest } = exchangeClass.prototype;
  /** The function that aborts the connection of a response. */
  const ends = new WeakMap();

  exchangeClass.prototype.undiciRequest = async function requestThatEnds(url, params) {
    const line = new AbortController();
    params.signal?.addEventListener('abort', () => line.abort(params.signal.reason), { once: true });
    const response = await undiciRequest.call(this, url, { ...params, signal: line.signal });
    ends.set(response, () => line.abort());
    return response;
  };

  exchangeClass.prototype.handleRestResponse = function readInTime(response, url, method, ...sent) {
    const read = handleRestResponse.call(this, response, url, method, ...sent);
    let clock;
    const deadline = new Promise((_, reject) => {
      const late = () => {
        reject(new ccxt.RequestTimeout(`${this.id} ${method} ${url} stalled within its response body (${this.timeout} ms)`));
        ends.get(response)?.();
      };
      clock = setTimeout(late, this.timeout);
    });
    return Promise.race([read, deadline]).finally(() => clearTimeout(clock));
  };
}
