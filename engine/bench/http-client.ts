/**
 * One kept-alive connection that sends a request when the last one is answered. It looks at no more of an answer than its
 * status and its length: on a small machine whoever loads a server takes time away from it.
 */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('content-length: ');
/** Behind `HTTP/1.1 `. */
const STATUS_AT = 9;

export class HttpClient {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isWhole = true;
  #answered: (status: number) => void = () => {};
  #fail: (cause: Error) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (piece) => this.#receive(piece));
    socket.on('close', () => this.#fail(new Error('the server closed a connection')));
    socket.on('error', (cause) => this.#fail(cause));
  }

  static connect(host: string, port: number, localAddress?: string): Promise<HttpClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, ...(localAddress !== undefined && { localAddress }) }, () =>
        resolve(new HttpClient(socket)),
      );
      socket.once('error', reject);
    });
  }

  /** Sends a whole request and resolves with the status of its answer. Rejects where the connection is closed, or was before. */
  send(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== 'open') {
        reject(new Error('the server closed the connection after the last answer'));
        return;
      }
      this.#answered = resolve;
      this.#fail = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#fail = () => {};
    this.#socket.destroy();
  }

  #receive(piece: Buffer): void {
    this.#received = this.#isWhole ? piece : Buffer.concat([this.#received, piece]);
    this.#isWhole = this.#received.length === lengthOf(this.#received);
    if (this.#isWhole) this.#answered(Number(this.#received.toString('latin1', STATUS_AT, STATUS_AT + 3)));
  }
}

/** Of a whole answer with its head, once all of that has come. */
function lengthOf(received: Buffer): number | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const at = received.indexOf(LENGTH) + LENGTH.length;
  return headEnd + HEAD_END.length + Number.parseInt(received.toString('latin1', at, headEnd), 10);
}
