/**
 * Parses a page into files to save, commands to run in one terminal, and their expected output. A mark after the fence's language
 * says what a block is: `file=<name>`, `run`, `run stopped` (while the venue is stopped), `shows`, `by-hand` (not run).
 */

/** The output of a command as the page shows it. */
export interface Shown {
  readonly form: 'json' | 'text';
  readonly text: string;
}

export interface Step {
  /** File and line, such as `page.md:12`. */
  readonly place: string;
  readonly script: string;
  readonly isStopped: boolean;
  readonly shown: Shown | undefined;
}

export interface Page {
  /** By name. */
  readonly files: ReadonlyMap<string, string>;
  readonly steps: readonly Step[];
}

/** Blocks in these languages need a mark; otherwise an example could go untested. */
const NEEDS_MARK = new Set(['sh', 'js', 'json', 'py']);

/** Throws if a block’s mark is missing, unknown, or does not fit its language or place. */
export function readPage(name: string, markdown: string): Page {
  const files = new Map<string, string>();
  const steps: Step[] = [];
  for (const { place, language, mark, text } of fencesOf(name, markdown)) {
    const fault = (reason: string) => new Error(`${place}: ${reason}`);
    if (mark === '') {
      if (NEEDS_MARK.has(language)) throw fault(`a block of ${language} is marked file=<name>, run, shows or by-hand`);
    } else if (mark.startsWith('file=')) {
      files.set(mark.slice('file='.length), text);
    } else if (mark === 'run' || mark === 'run stopped') {
      if (language !== 'sh') throw fault('what is run is a command of the shell: save a program with file=<name> and run that');
      steps.push({ place, script: text, isStopped: mark === 'run stopped', shown: undefined });
    } else if (mark === 'shows') {
      const step = steps.pop();
      if (step === undefined || step.shown !== undefined) throw fault('what is shown follows the command that prints it');
      if (language !== 'json' && language !== 'text') throw fault('what is shown is json or text');
      steps.push({ ...step, shown: { form: language, text } });
    } else if (mark !== 'by-hand') throw fault(`there is no mark ${mark}`);
  }
  return { files, steps };
}

interface Fence {
  readonly place: string;
  readonly language: string;
  readonly mark: string;
  readonly text: string;
}

function* fencesOf(name: string, markdown: string): Generator<Fence> {
  for (const match of markdown.matchAll(/^```(\w*) *(.*)\n([\s\S]*?)^```$/gm)) {
    const [, language = '', mark = '', text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    yield { place: `${name}:${line}`, language, mark: mark.trim(), text };
  }
}
