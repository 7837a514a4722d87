/** Debian's python3-fido2 0.9 as a second verifier: one Python process, which answers one ceremony a line. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The first on the path may be another than Debian's, which has Debian's packages. */
const PYTHON = ['python3', '/usr/bin/python3'].find((path) => versionOf(path)?.startsWith('0.9.'));

/** Why it cannot run here; `undefined` if it can. */
export const NO_SECOND_VERIFIER = PYTHON === undefined ? 'python3-fido2 0.9 is not installed' : undefined;
if (NO_SECOND_VERIFIER !== undefined)
  console.warn(`No second verifier of passkeys: ${NO_SECOND_VERIFIER} (Debian: apt-get install python3-fido2).`);

function versionOf(python: string): string | undefined {
  const { status, stdout } = spawnSync(python, ['-c', 'import fido2; print(fido2.__version__)'], { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

/** What the library says of a ceremony. */
export interface Verdict {
  readonly accepted?: AcceptedFacts;
  readonly rejected?: string;
}

/** What it read in a ceremony that it accepts. */
export interface AcceptedFacts {
  readonly flags: number;
  readonly counter: number;
  /** The rest is of registrations only. */
  readonly id?: string;
  readonly key?: {
    readonly algorithm: number;
    readonly type: unknown /** 0 unless it is RSA. */;
    readonly exponentBytes: number;
  };
  readonly isCanonical?: boolean;
}

export class SecondVerifier {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    this.#child = spawn(PYTHON!, [join(import.meta.dirname, 'second-verifier.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  /** One call at a time. */
  async verify(request: Record<string, unknown>): Promise<Verdict> {
    this.#child.stdin!.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the second verifier has ended');
    return JSON.parse(value) as Verdict;
  }

  end(): void {
    this.#child.kill();
  }
}
