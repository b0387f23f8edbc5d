import cluster, { type Worker } from 'node:cluster';
import type { Clock } from '../../../kit/clock.ts';
import { clientCounts } from '../../../service/http/access/client-counts.ts';
import type { TlsKeyPair } from '../../../service/http/tls.ts';
import type { Log } from '../../../service/platform/log.ts';
import type { MetricValues } from '../../../service/telemetry/metrics.ts';
import type { FromMember, Question, ReadyService, ToMember } from './messages.ts';

/** Pauses before a process that ended is replaced, if it never became ready. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000];
/** How long a process may take to answer a question. */
const ANSWER_TIMEOUT_MS = 3_000;
/** The same for the start of the console, which on a busy machine takes longer. */
const CONSOLE_TIMEOUT_MS = 30_000;
/** How long a process may take to close: a little longer than the service itself does at most. */
const STOP_TIMEOUT_MS = 9_700;

export interface NodeOptions {
  readonly processes: number;
  /** The arguments of each process. */
  readonly args: readonly string[];
  /** Fires when the node is asked to stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** Called before a restart, which is given up if it rejects. */
  readonly prepareRestart: () => Promise<void>;
  /** What each process serves https with, also one that replaces another; undefined for http. */
  readonly keyPair: () => TlsKeyPair | undefined;
  /** Called when a process is ready, with a number of its own. */
  readonly onStart: (process: number) => void;
  /** Called when it has ended, with what its metrics counted if it was not killed. */
  readonly onEnd: (process: number, counts: MetricValues | undefined) => void;
}

/** A process could not be started. It has said why, if it was not killed. */
export class MemberFailed extends Error {
  readonly code: number;
  /** `how`: an exit code or a signal. */
  constructor(how: string) {
    super(`a process of the service ended with ${how} before it was ready`);
    this.code = Number(how) || 1;
  }
}

interface Started {
  readonly worker: Worker;
  /** How it ended: an exit code or a signal. */
  readonly ended: Promise<string>;
}

interface Member extends Started {
  /** True once it was asked to stop. */
  stopping: boolean;
  /** True while a restart starts the process that follows it. */
  succeeded: boolean;
}

/**
 * A node of several processes that share one port (node:cluster). Replaces a process that dies, and restarts them one
 * after another on request.
 */
export class ServiceNode {
  readonly #options: NodeOptions;
  readonly #members = new Set<Member>();
  /** Processes that do not serve yet. */
  readonly #starting = new Set<Started>();
  readonly #count: ReturnType<typeof clientCounts>;
  readonly #questions = new Map<number, (answer: unknown) => void>();
  #asked = 0;
  /** The process that serves the console; undefined while none does, null if none was asked for. */
  #consoleAt: Member | undefined | null = null;
  #restarting: Promise<void> = Promise.resolve();
  #restartWaits = false;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.#count = clientCounts(options.clock);
    // Each process accepts connections. If the node passed them on (round robin), one that was on its way to a process
    // that died would stay open without an answer.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ args: [...options.args] });
  }

  /** Starts the processes: the first alone, which prepares the data. Rejects with MemberFailed. */
  start(): Promise<ReadyService> {
    const started = this.#start();
    // A restart waits for the start.
    this.#restarting = started.then(
      () => {},
      () => {},
    );
    return started;
  }

  async #start(): Promise<ReadyService> {
    const first = await this.#add();
    await Promise.all(Array.from({ length: this.#options.processes - 1 }, () => this.#add()));
    return first;
  }

  /** Asks every process that is not stopping. Omits those that do not answer in time. */
  async ask<T>(question: Question): Promise<(readonly [process: number, answer: T])[]> {
    const members = [...this.#members].filter(({ stopping }) => !stopping);
    const answers = await Promise.all(members.map((member) => this.#askOne(member, question)));
    return members.flatMap(({ worker }, i) =>
      answers[i] === undefined ? [] : [[worker.id, answers[i] as T] as const],
    );
  }

  /**
   * Lets one process serve the console, and another one when it ends. Resolves with the address; undefined, which is
   * logged, if the port is taken or the process did not answer in time.
   */
  async placeConsole(): Promise<string | undefined> {
    const { signal, log } = this.#options;
    this.#consoleAt = [...this.#members].find(({ stopping }) => !stopping);
    if (signal.aborted || !this.#consoleAt) return undefined;
    const url = (await this.#askOne(this.#consoleAt, 'console', CONSOLE_TIMEOUT_MS)) as string | undefined;
    if (url === undefined && !signal.aborted)
      log('error', 'the console could not be started: is its port taken?');
    return url;
  }

  /** Resolves with undefined if the process ends, or does not answer in time. */
  async #askOne(
    { worker, ended }: Member,
    question: Question,
    timeoutMs = ANSWER_TIMEOUT_MS,
  ): Promise<unknown> {
    const id = ++this.#asked;
    const answered = new Promise<unknown>((resolve) => this.#questions.set(id, resolve));
    const timeout = new AbortController();
    const late = this.#options.clock.sleep(timeoutMs, timeout.signal).catch(() => undefined);
    tell(worker, { type: 'ask', id, question });
    const answer = await Promise.race([answered, late, ended.then(() => undefined)]);
    timeout.abort();
    this.#questions.delete(id);
    return answer;
  }

  /** Replaces each process by one that is ready before the old one stops. A restart that still waits is made once. */
  restart(): void {
    if (this.#restartWaits) return;
    this.#restartWaits = true;
    this.#restarting = this.#restarting.then(() => {
      this.#restartWaits = false;
      return this.#restart();
    });
  }

  /** Stops all processes; each completes its requests. One that still starts must not outlive the node either. */
  async stop(): Promise<void> {
    await Promise.all([
      ...[...this.#members].map((member) => this.#stop(member)),
      ...[...this.#starting].map((started) => endOf(started, () => started.worker.process.kill('SIGTERM'))),
    ]);
  }

  async #restart(): Promise<void> {
    const { signal, log, prepareRestart } = this.#options;
    const giveUp = (error: unknown) => {
      if (!signal.aborted)
        log('error', 'the restart of the processes was given up: the others go on', {
          reason: (error as Error).message,
        });
    };
    try {
      await prepareRestart();
    } catch (error) {
      return giveUp(error);
    }
    for (const old of [...this.#members]) {
      if (signal.aborted) return;
      // It has died, and is replaced already.
      if (!this.#members.has(old)) continue;
      old.succeeded = true;
      try {
        await this.#add();
      } catch (error) {
        giveUp(error);
        old.succeeded = false;
        if (!this.#members.has(old)) await this.#replace();
        return;
      }
      await this.#stop(old);
    }
    log('info', 'all processes were restarted', { processes: this.#members.size });
  }

  /** Starts a process and resolves once it serves. */
  async #add(): Promise<ReadyService> {
    const worker = cluster.fork();
    const keyPair = this.#options.keyPair();
    if (keyPair) tell(worker, { type: 'tls', keyPair });
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? String(code)));
    });
    const started: Started = { worker, ended };
    this.#starting.add(started);
    let last: MetricValues | undefined;
    const service = await new Promise<ReadyService>((resolve, reject) => {
      worker.on('message', (message: FromMember) => {
        if (message.type === 'ready') resolve(message.service);
        else if (message.type === 'closed') last = message.counts;
        else if (message.type === 'count')
          tell(worker, {
            type: 'counted',
            answers: message.questions.map(({ id, request }) => ({ id, verdict: this.#count(request) })),
          });
        else this.#questions.get(message.id)?.(message.answer);
      });
      void ended.then((how) => reject(new MemberFailed(how)));
    }).finally(() => this.#starting.delete(started));
    const member: Member = { ...started, stopping: false, succeeded: false };
    this.#members.add(member);
    this.#options.onStart(worker.id);
    if (this.#options.signal.aborted) void this.#stop(member);
    void ended.then((how) => {
      this.#options.onEnd(worker.id, last);
      return this.#onEnd(member, how);
    });
    return service;
  }

  async #onEnd(member: Member, how: string): Promise<void> {
    const { signal, log } = this.#options;
    this.#members.delete(member);
    // Its port is free again only now.
    if (member === this.#consoleAt) void this.placeConsole();
    if (member.stopping || signal.aborted) return;
    // The process is named in the reason, so that none counts as a repetition of another.
    log('error', 'a process of the service ended and is replaced', {
      reason: `process ${member.worker.process.pid} ended with ${how}`,
    });
    if (!member.succeeded) await this.#replace();
  }

  /** Starts a process in the place of one that died, and tries that again until it serves or the node stops. */
  async #replace(): Promise<void> {
    const { signal, log, clock } = this.#options;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await this.#add();
        if (this.#consoleAt === undefined) await this.placeConsole();
        return;
      } catch (error) {
        if (!signal.aborted)
          log('error', 'a process of the service could not be started, which is tried again', {
            reason: (error as Error).message,
          });
        await clock.sleep(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]!, signal).catch(() => {});
      }
    }
  }

  async #stop(member: Member): Promise<void> {
    member.stopping = true;
    await endOf(member, () => tell(member.worker, { type: 'stop' }));
  }
}

/** Asks a process to end, and kills it if it takes too long. Resolves once it has ended. */
async function endOf({ worker, ended }: Started, ask: () => void): Promise<void> {
  ask();
  const kill = setTimeout(() => worker.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(kill);
}

function tell(worker: Worker, message: ToMember): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
