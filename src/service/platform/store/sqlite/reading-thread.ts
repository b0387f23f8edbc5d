import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type Sql, type SqlValue, StoreUnavailable } from '../store.ts';
import { sqliteDialect, translateError, withBytes } from './connection.ts';

/** Answers each message, a statement, with its rows or its error. A file of its own would be one more entry of the bundle. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.driver);
let database;
const statements = new Map();
parentPort.on('message', ({ sql, params }) => {
  try {
    database ??= new Database(workerData.path);
    if (!statements.has(sql)) statements.set(sql, database.prepare(sql));
    parentPort.postMessage({ rows: statements.get(sql).all(...params) });
  } catch ({ code, message }) {
    parentPort.postMessage({ code, message });
  }
});
`;

type Answer =
  | { readonly rows: Record<string, unknown>[] }
  | { readonly code: unknown; readonly message: string };

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A connection that reads in a thread of its own: the process goes on while SQLite reads, which is nearly half of the work
 * of an export. Begins with its first statement. For long reads: each statement costs two messages.
 */
export class ReadingThread implements Sql {
  readonly dialect = sqliteDialect;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  /** What was asked and not answered yet, in order. */
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  #failure: unknown;

  constructor(path: string, busyTimeoutMs: number) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async all<T>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    if (!this.#worker) {
      this.#worker = this.#start();
      await this.all(`PRAGMA busy_timeout=${this.#busyTimeoutMs}`);
    }
    if (this.#failure) throw this.#failure;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker!.postMessage({ sql, params });
    });
    if ('rows' in answer) return answer.rows.map(withBytes) as T[];
    throw translateError(this.#path, Object.assign(new Error(answer.message), { code: answer.code }));
  }

  async get<T>(sql: string, params: readonly SqlValue[] = []): Promise<T | undefined> {
    return (await this.all<T>(sql, params))[0];
  }

  async run(): Promise<number> {
    throw new Error('a thread that reads writes nothing');
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const driver = createRequire(import.meta.url).resolve('libsql');
    const worker = new Worker(PROGRAM, { eval: true, workerData: { driver, path: this.#path } });
    worker.on('message', (answer: Answer) => this.#waiting.shift()?.resolve(answer));
    worker.on('error', (error) => {
      this.#failure = new StoreUnavailable(`${this.#path}: ${error.message}`, error);
      for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    });
    return worker;
  }
}
