/** The baseline of orders over HTTP: a fastify route that takes the same body and sends the same response. */
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
