/**
 * Responses of the venue that match their declarations but contradict themselves or the request. In the venue's own process this
 * is an internal error; of a venue over HTTP the client gets `upstream_unavailable`.
 */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
}
