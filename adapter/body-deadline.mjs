/**
 * ccxt bounds by `timeout` how long it waits for the head of an answer, and lets go of the clock before the body: one that stops
 * in its middle would be waited for without end. The body has as long again, then its line is ended. In npm's ccxt alone; its
 * Python bounds both.
 */
import ccxt from 'ccxt';

export function boundBodies(exchangeClass) {
  const { handleRestResponse, undiciRequest } = exchangeClass.prototype;
  /** How to end the line that an answer comes on. */
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
        reject(new ccxt.RequestTimeout(`${this.id} ${method} ${url} stopped within its answer (${this.timeout} ms)`));
        ends.get(response)?.();
      };
      clock = setTimeout(late, this.timeout);
    });
    return Promise.race([read, deadline]).finally(() => clearTimeout(clock));
  };
}
