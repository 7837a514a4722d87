/**
 * Answers of the venue that cannot hold together, or that do not fit the request, though each is as declared. In the venue's own process that is
 * an internal error; of a venue over HTTP it is answered `upstream_unavailable`.
 */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
}
