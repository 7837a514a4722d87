/** Sends requests unchanged over persistent connections: nothing is corrected, normalized or refused by the client. */
import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Operation } from '#contract/operation.ts';
import type { WireRequest } from './hostile-requests.ts';

export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface WireClient {
  send(method: Operation['method'], path: string, wire: WireRequest): Promise<WireResponse>;
  close(): void;
}

export function wireClient(port: number): WireClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    send: (method, path, { headers, body }) =>
      new Promise((resolve, reject) => {
        // Node does not send the length of a DELETE's body by itself.
        const framed = body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
        const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: framed }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const fields = new Headers();
            for (const [name, value] of Object.entries(response.headersDistinct)) {
              for (const one of value ?? []) fields.append(name, one);
            }
            const bytes = Buffer.concat(chunks);
            const isPacked = bytes.length > 0 && fields.get('content-encoding') === 'gzip';
            const text = (isPacked ? gunzipSync(bytes) : bytes).toString('utf8');
            resolve({ status: response.statusCode ?? 0, headers: fields, text });
          });
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Percent-encodes all parameters, and resolves no dots. */
export function addressOf(operation: Operation, { params, query }: WireRequest): string {
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(params[name] ?? ''));
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return search === '' ? path : `${path}?${search}`;
}
