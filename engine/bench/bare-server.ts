/** What the venue's orders over HTTP are compared with: a fastify route that takes the same body and sends the same answer. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { answer, requestOf } from './bench-process.ts';

const { order } = requestOf<{ readonly order: object }>();
const server = fastify();
server.post('/v1/orders', (request, reply) => {
  const { clientOrderId } = request.body as { clientOrderId: string };
  reply.code(202).send({ ...order, clientOrderId, idempotencyKey: request.headers['idempotency-key'] });
});
await server.listen({ host: 'localhost', port: 0 });
answer({ url: `http://localhost:${(server.server.address() as AddressInfo).port}` });
