/** Realtime access: the address of the service, and tickets for its sockets. A ticket is sent in a body or a frame, never in an address. */
import type { RealtimeTicket } from './agent-resources.ts';
import type { VenueClient } from './client.ts';

interface RealtimeDocument {
  readonly servers: { readonly venue: { readonly protocol: string; readonly host: string; readonly pathname: string } };
}

export class RealtimeOperations {
  readonly #client: VenueClient;
  /** It changes only with a restart of the venue. */
  #server: RealtimeDocument['servers']['venue'] | undefined;

  constructor(client: VenueClient) {
    this.#client = client;
  }

  /** From the document that the venue publishes. `undefined` if it names none, so that the page may not connect. */
  async address(): Promise<string | undefined> {
    this.#server ??= (await this.#client.send<RealtimeDocument>({ method: 'GET', path: '/asyncapi.json' })).servers.venue;
    const { protocol, host, pathname } = this.#server;
    return host.includes('{') ? undefined : `${protocol}://${host}${pathname}`;
  }

  async mintTicket(): Promise<string> {
    return (await this.#client.send<RealtimeTicket>({ method: 'POST', path: '/v1/realtime/ticket' })).ticket;
  }

  /** Ends the tickets of its family, and their socket. */
  revokeTicket(ticket: string): Promise<void> {
    return this.#client.send({ method: 'DELETE', path: '/v1/realtime/ticket', body: { ticket } });
  }
}
