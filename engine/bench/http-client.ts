/**
 * One keep-alive connection that sends a request after the last response. It reads only the status and the length of a response:
 * on a small machine the load generator takes CPU time from the server.
 */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('content-length: ');
/** After `HTTP/1.1 `. */
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

  /** Sends a request and resolves with the status of its response. Rejects if the connection is closed, or was before. */
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

/** The length of a whole response with its head; `undefined` until it has arrived. */
function lengthOf(received: Buffer): number | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const at = received.indexOf(LENGTH) + LENGTH.length;
  return headEnd + HEAD_END.length + Number.parseInt(received.toString('latin1', at, headEnd), 10);
}
