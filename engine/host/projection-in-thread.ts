/**
 * The projection in a thread of its own, as the venue's main thread has it: groups are told in order and folded there, reads
 * are asked for and come back written out. A read that is asked after a group was told reflects it: both take one way.
 */
import { once } from 'node:events';
import { type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { DIRECTORY_COMMANDS, type DirectoryState, VenueDirectory } from '#projection/projection.ts';
import { type Ask, askBy } from '#reads/answers.ts';
import { type Reader, VENUE_READER } from '#reads/reader.ts';
import type { Clock } from '#time/clock.ts';
import { systemBlocking } from '#time/system-time.ts';
import type { Time } from '#time/time.ts';
import type { Sequence } from '#units/ids.ts';
import type { StateAudit } from '#venue/audit/state-audit.ts';
import { type CommittedGroup, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/told-records.ts';
import { FoldProgress } from './fold-progress.ts';
import { HeldGroups } from './held-groups.ts';
import type { ProjectionCondition } from './projection-follower.ts';
import type { ProjectionAnswer, ProjectionMessage, ProjectionWork } from './projection-thread.ts';
import { ReadQueue } from './read-queue.ts';
import { relayed, sharedMs } from './relayed-clock.ts';
import { defectOf } from './told-defect.ts';

const THREAD = new URL('./projection-thread.ts', import.meta.url);

/** Rows that change again within that time are written once, unless somebody reads meanwhile. */
const FOLDED_AT_ONCE = { holdMs: 50, mostRecords: 1_000 };
/** While the past is fed, so many records may wait to be folded; more would only fill the memory. */
const MOST_WAITING_AT_START = 20_000;
/** While the venue runs, with so many the next command is refused: what is read would grow older and older. */
const MOST_WAITING = 100_000;
/** Folding nothing for so long while records wait is a defect. */
const STALLED_MS = 60_000;

interface Opening {
  readonly sequence: Sequence;
  readonly chainDigest: string;
  readonly directory: DirectoryState;
  /** For people. */
  readonly lines: readonly string[];
}

/** What a projection shows is not what the journal's past comes to: it is to be discarded and folded from the first record. */
export class ProjectionContradiction extends Error {
  override readonly name = 'ProjectionContradiction';
}

/** Where its files are, and what it hears. */
export interface ProjectionPlace extends Pick<Time, 'clock' | 'timers'> {
  readonly path: string;
  /** Whether a file that is of no use may be replaced by an empty one. */
  readonly mayReplace: boolean;
  /** The folder of the journal. */
  readonly journal: string;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
}

/** How far what is folded is behind what is durable. */
export interface ProjectionLag {
  readonly records: number;
  readonly ms: number;
}

/** With the thread. */
interface Shared {
  readonly progress: FoldProgress;
  readonly replayable: FoldProgress;
}

interface Waiting {
  readonly resolve: (body: string | Uint8Array | undefined) => void;
  readonly reject: (defect: unknown) => void;
}

export class ProjectionInThread {
  /** What is folded and kept: groups after that are to be told. */
  readonly sequence: Sequence;
  readonly chainDigest: string;
  readonly directory: VenueDirectory;
  /** What the venue itself reads. */
  readonly ask: Ask;
  /** For the realtime service to tell how far it has kept what a start can replay: the file waits for that. */
  readonly replayable: FoldProgress;
  readonly #worker: Worker;
  readonly #progress: FoldProgress;
  readonly #groups: HeldGroups;
  readonly #queue = new ReadQueue();
  readonly #waiting = new Map<number, Waiting>();
  #journalTime: Clock;
  /** One group that was told, and when: how long it takes to be folded stands for all that came meanwhile. */
  #watched: { readonly sequence: Sequence; readonly toldAtMs: number } | undefined;
  /** How long the one before it took. */
  #tookMs = 0;
  #isLive = false;
  #asked = 0;
  #onDefect: (defect: unknown) => void = () => {};
  #defect: unknown;
  #isClosing = false;
  readonly #log: (line: string) => void;
  #condition: ProjectionCondition = { isRebuilding: false, isUnwritten: false, rebuildCount: 0, writeFaultCount: 0 };
  readonly #ended: Promise<void>;

  private constructor(
    worker: Worker,
    { clock, timers, log }: Pick<ProjectionPlace, 'clock' | 'timers' | 'log'>,
    { progress, replayable }: Shared,
    { sequence, chainDigest, directory }: Opening,
  ) {
    this.replayable = replayable;
    this.#worker = worker;
    this.#log = log;
    this.#journalTime = clock;
    this.#progress = progress;
    this.#groups = new HeldGroups(timers, FOLDED_AT_ONCE, (groups, transfer) =>
      worker.postMessage({ type: 'groups', groups }, transfer),
    );
    this.sequence = sequence;
    this.chainDigest = chainDigest;
    this.directory = new VenueDirectory(directory);
    this.ask = this.askAs(VENUE_READER);
    progress.reach(sequence);
    worker.on('message', (answer: ProjectionAnswer) => this.#take(answer));
    worker.on('error', (defect) => this.#fail(defect));
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (status) => {
        if (!this.#isClosing || status !== 0) this.#fail(new Error(`the thread of the projection ended with status ${status}`));
        resolve();
      });
    });
  }

  /** Rejects where the file cannot be opened, with an error named `ProjectionUnusable` where it would have to be replaced and may not. */
  static async open({ path, mayReplace, journal, log, ...time }: ProjectionPlace): Promise<ProjectionInThread> {
    const [progress, replayable] = [new FoldProgress(), new FoldProgress()];
    const work: ProjectionWork = {
      path,
      mayReplace,
      journal,
      progress: progress.shared,
      replayable: replayable.shared,
      time: relayed(time.clock),
    };
    const worker = new Worker(THREAD, { workerData: work });
    const [opening] = (await once(worker, 'message')) as [Opening];
    for (const line of opening.lines) log(line);
    return new ProjectionInThread(worker, { ...time, log }, { progress, replayable }, opening);
  }

  /** What a client reads, when it is its turn. */
  askAs(reader: Reader): Ask {
    const { form } = reader;
    return askBy((name, asked) =>
      this.#queue.run(reader, () =>
        this.#read((id) => ({ type: 'ask', id, name, asked, form, time: relayed(this.#journalTime) })),
      ),
    );
  }

  /** Takes groups in order. Throws what went wrong with one that was told before. */
  follow(group: CommittedGroup): void {
    if (this.#defect !== undefined) throw this.#defect;
    const { stored } = group;
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    this.directory.follow(lastSequenceOf(stored), recordsOfCommands(stored, DIRECTORY_COMMANDS));
    this.#groups.add(stored);
    if (!this.#isLive) this.#waitForRoom();
    else this.#watch();
  }

  /** More waits to be folded than may. */
  get isBehind(): boolean {
    const { sequence } = this.#progress;
    // While it is folded again from the journal, nothing waits in memory.
    return sequence < 0 || (!this.#condition.isRebuilding && this.directory.sequence() - sequence > MOST_WAITING);
  }

  /** What keeps reads from being as ever. */
  get condition(): ProjectionCondition {
    return this.#condition;
  }

  get lag(): ProjectionLag {
    const records = Math.max(0, this.directory.sequence() - this.#progress.sequence);
    if (records === 0 || this.#watched === undefined) return { records, ms: 0 };
    return { records, ms: Math.max(this.#tookMs, (this.#whenFolded(this.#watched) ?? sharedMs()) - this.#watched.toldAtMs) };
  }

  /**
   * The journal's past has been told: resolves when it is folded, and rejects with what went wrong. `onDefect` hears of what
   * goes wrong later, at once.
   */
  async live(journalTime: Clock, onDefect: (defect: unknown) => void): Promise<void> {
    this.#journalTime = journalTime;
    this.#isLive = true;
    this.#post({ type: 'live', time: relayed(journalTime) });
    await this.ask.freshness().catch((error) => {
      throw this.#defect ?? error;
    });
    if (this.#defect !== undefined) throw this.#defect;
    this.#onDefect = onDefect;
  }

  /** The audit of what is folded, as of the groups that were told by now. */
  async audit(): Promise<StateAudit> {
    return JSON.parse(String(await this.#read((id) => ({ type: 'audit', id })))) as StateAudit;
  }

  /**
   * Has the rows that can still change sent, as of the groups that were told by now: whoever follows from now on misses none and
   * gets none twice.
   */
  sendLiveRows(to: MessagePort): void {
    this.#post({ type: 'rows', to }, [to]);
  }

  /** The venue takes no commands any more; reads go on and say so, unless it was a defect here. */
  halted(): void {
    this.#post({ type: 'halted' });
  }

  /** Everything that was told is folded and kept. Rejects with a defect that nobody has heard of before. */
  async close(): Promise<void> {
    const earlier = this.#defect;
    this.#isClosing = true;
    this.#post({ type: 'close' });
    await this.#ended;
    const defect = this.#defect;
    this.#fail(new Error('the projection is closed'));
    if (defect !== undefined && earlier === undefined) throw defect;
  }

  /** After a defect what is folded may lack what was acknowledged: less than that is shown to nobody. */
  async #read(question: (id: number) => ProjectionMessage): Promise<string | Uint8Array | undefined> {
    try {
      return await this.#answered(question);
    } catch (cause) {
      if (cause !== this.#defect) throw cause;
      throw new VenueHalted(`nothing can be read until the venue is started again (${String(cause)})`, { cause });
    }
  }

  #answered(question: (id: number) => ProjectionMessage): Promise<string | Uint8Array | undefined> {
    if (this.#defect !== undefined) return Promise.reject(this.#defect);
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post(question(id));
    });
  }

  #take(answer: ProjectionAnswer): void {
    if (answer.id === undefined) {
      this.#hear(answer);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    // After a defect nobody waits any more.
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    if ('isBusy' in answer) waiting.reject(new WriterBusy('what is read is folded again from the journal: try again soon'));
    else if ('defect' in answer) waiting.reject(defectOf(answer.defect));
    else waiting.resolve(answer.body);
  }

  /** What is of folding, not of a read. */
  #hear(report: Extract<ProjectionAnswer, { id?: undefined }>): void {
    if ('line' in report) this.#log(report.line);
    else if ('condition' in report) this.#condition = report.condition;
    else {
      const defect = defectOf(report.defect);
      this.#fail(report.isContradiction ? new ProjectionContradiction(defect.message, { cause: defect }) : defect);
    }
  }

  /** The first defect counts. Whoever waits for a read hears of it, and so does whoever tells the next group. */
  #fail(defect: unknown): void {
    if (this.#defect === undefined && !this.#isClosing) this.#onDefect(defect);
    this.#defect ??= defect;
    for (const { reject } of this.#waiting.values()) reject(this.#defect);
    this.#waiting.clear();
  }

  /** One after the other: the next is one that is told when the last is folded. */
  #watch(): void {
    if (this.#watched !== undefined) {
      const foldedAtMs = this.#whenFolded(this.#watched);
      if (foldedAtMs === undefined) return;
      this.#tookMs = foldedAtMs - this.#watched.toldAtMs;
    }
    this.#watched = { sequence: this.directory.sequence(), toldAtMs: sharedMs() };
  }

  #whenFolded({ sequence }: { readonly sequence: Sequence }): number | undefined {
    return this.#progress.sequence < sequence ? undefined : this.#progress.atMs;
  }

  /** Holds this thread up: at a start it has nothing else to do. */
  #waitForRoom(): void {
    for (;;) {
      const { sequence } = this.#progress;
      // Below zero it folds nothing any more, and says why.
      if (sequence < 0 || this.directory.sequence() - sequence <= MOST_WAITING_AT_START) return;
      if (!this.#progress.waitBeyond(sequence, STALLED_MS, systemBlocking))
        throw new Error('the projection folds nothing any more');
    }
  }

  /** What was told before comes before it. */
  #post(message: ProjectionMessage, transfer: readonly Transferable[] = []): void {
    this.#groups.flush();
    this.#worker.postMessage(message, transfer);
  }
}
