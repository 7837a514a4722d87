/** Runs the tests of a ccxt checkout in a process of their own, and collects their findings. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ORDER_VARIABLE, type PythonOrder, type SuiteOrder, type SuiteResponse } from './suite-order.ts';

/** A socket test waits for updates without a limit of its own. */
const TIMEOUT_MS = 600_000;
const TAIL_LINES = 40;

export interface SuiteResult extends SuiteResponse {
  /** The last output of the suite. */
  readonly lines: readonly string[];
}

export function runModern(order: Omit<SuiteOrder, 'answerPath'>): Promise<SuiteResult> {
  return runSuite(process.execPath, 'child.ts', order);
}

export function runPython(python: string, order: Omit<PythonOrder, 'answerPath'>): Promise<SuiteResult> {
  return runSuite(python, 'python_child.py', order);
}

async function runSuite(command: string, script: string, order: object): Promise<SuiteResult> {
  const folder = await mkdtemp(join(tmpdir(), 'openperp-modern-'));
  const answerPath = join(folder, 'answer.json');
  try {
    const lines = await runChild(command, script, JSON.stringify({ ...order, answerPath }));
    const text = await readFile(answerPath, 'utf8').catch(() => undefined);
    if (text === undefined) throw new Error(`the suite could not be run:\n${lines.join('\n')}`);
    const response = JSON.parse(text) as SuiteResponse;
    if (!response.hasEnded && Object.keys(response.problems).length === 0)
      throw new Error(`the suite broke off before its first test:\n${lines.join('\n')}`);
    return { ...response, lines };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runChild(command: string, script: string, order: string): Promise<readonly string[]> {
  const child = spawn(command, [fileURLToPath(new URL(script, import.meta.url))], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', [ORDER_VARIABLE]: order },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n'));
      lines.splice(0, lines.length - TAIL_LINES);
    });
  child.on('error', ({ message }) => lines.push(message));
  // On SIGTERM the suite still writes its findings, unless it hangs.
  const timeout = setTimeout(() => child.kill('SIGTERM'), TIMEOUT_MS);
  const atLast = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS + 5_000);
  await new Promise((resolve) => child.on('close', resolve));
  for (const timer of [timeout, atLast]) clearTimeout(timer);
  return lines;
}
