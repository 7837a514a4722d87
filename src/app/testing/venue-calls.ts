/** Calls the operations of a venue at an address, as its clients do. */
import { OPERATIONS, type OperationId } from '#contract/operations.ts';
import type { Request, VenueResponse } from '#http/testing/driven-venue.ts';

export interface Exchange {
  readonly id: OperationId;
  readonly url: string;
  readonly request: Request;
  readonly response: VenueResponse;
}

/** `observed` gets every exchange. */
export function callsTo(
  baseUrl: string,
  observed: (exchange: Exchange) => void = () => {},
): (id: OperationId, request?: Request) => Promise<VenueResponse> {
  return async (id, request = {}) => {
    const { method, path } = OPERATIONS[id];
    const { params, query, body, bot, idempotencyKey } = request;
    const named = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
    const url = `${baseUrl}${named}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`;
    const received = await fetch(url, {
      method,
      headers: {
        ...(bot && { authorization: `Bearer ${bot.key}` }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await received.text();
    const response = { status: received.status, headers: received.headers, body: text === '' ? undefined : JSON.parse(text) };
    observed({ id, url, request, response });
    return response;
  };
}
