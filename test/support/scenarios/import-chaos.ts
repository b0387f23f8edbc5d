import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { seededRandom } from '../../../src/kit/random.ts';
import { startService } from '../../../src/service/start.ts';
import { droppingProxy } from '../peers/dropping-proxy.ts';
import type { SvcProgram } from '../process/svc-process.ts';
import { addRecords, inputsOf, isBad, type Shape } from './shaped-inputs.ts';

export interface ChaosReport {
  readonly seed: string;
  readonly kills: number;
  readonly dropped: number;
  /** Requests that repeated one of an earlier process, the most for one kill. */
  readonly resent: number;
  readonly accepted: number;
  readonly lost: number;
  readonly doubled: number;
  readonly rejectsMissing: number;
  readonly rejectsDoubled: number;
  /** Requests of a last `--resume` after the end. */
  readonly afterEnd: number;
  readonly lastResult: { read: number; accepted: number; rejected: number; skipped: number; unsent: number };
}

export interface ChaosOptions {
  readonly seed: string;
  readonly records: number;
  readonly batchSize: number;
  readonly concurrency: number;
  /** The input comes in as many parts, each appended when the import of those before it finished; 1 unless given. */
  readonly nights?: number;
  /** What the input is; two NDJSON files unless given. */
  readonly shape?: Shape;
}

/**
 * An import under fire: the service behind a proxy that throws 5 % of its answers away after the commit, the importer
 * killed at random moments up to five times and resumed, then left to finish, night after night. Reports what the service and the rejects
 * file hold against the input.
 */
export async function chaosRun(program: SvcProgram, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, records, batchSize, concurrency, nights = 1, shape = 'lines' } = options;
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'svc-chaos-'));
  const database = join(dir, 'service.db');
  const limits = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
  const service = await startService({ database, limits });
  const proxy = await droppingProxy(service.url, { share: 0.05, delayMs: 20, random });
  try {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      SVC_BASE_URL: proxy.url,
      SVC_WORKSPACE: service.workspace,
      SVC_API_KEY: service.apiKey!,
    };
    const flags = [
      '--batch-size',
      String(batchSize),
      '--concurrency',
      String(concurrency),
      '--json',
      '--resume',
    ];
    const inputs = inputsOf(shape);
    const argv = ['events', 'import', ...inputs, ...flags];
    const start = () => program.start(argv, { env, cwd: dir });
    let resent = 0;
    let killed = 0;
    let afterEnd = 0;
    let last: Awaited<ReturnType<typeof start>['ended']> | undefined;
    for (let night = 0; night < nights; night++) {
      const [from, to] = [night, night + 1].map((n) => Math.floor((records * n) / nights));
      await addRecords(shape, dir, from!, to!);
      last = undefined;
      const kills = 1 + Math.floor(random() * 5);
      for (let run = 0; run <= kills && last?.code === undefined; run++) {
        const known = new Set(proxy.keys);
        const from = proxy.keys.length;
        const running = start();
        // The last one is left alone. The others die some time after their first request, or before it.
        const early = random() < 0.1;
        if (run < kills) {
          while (!early && proxy.keys.length === from && running.child.exitCode === null) await pause(2);
          await pause(random() * (early ? 200 : 400));
          running.child.kill('SIGKILL');
        }
        const ended = await running.ended;
        if (ended.signal === 'SIGKILL') killed++;
        else last = ended;
        resent = Math.max(resent, new Set(proxy.keys.slice(from).filter((key) => known.has(key))).size);
      }
      // All may have been done when the process before was killed: then nothing is left to reject.
      const expected = last && JSON.parse(last.stdout || '{}').rejected > 0 ? 7 : 0;
      if (last?.code !== expected) throw new Error(`${seed}: ended with ${last?.code}: ${last?.stderr}`);
      const before = proxy.keys.length;
      const again = await start().ended;
      if (again.code !== 0) throw new Error(`${seed}: --resume after the end: ${again.code} ${again.stderr}`);
      afterEnd += proxy.keys.length - before;
    }
    return {
      seed,
      kills: killed,
      dropped: proxy.dropped(),
      resent,
      afterEnd,
      lastResult: JSON.parse(last!.stdout),
      ...compare(records, database, join(dir, `${inputs[0]}.rejects.ndjson`)),
    };
  } finally {
    await proxy.close();
    await service.close(0);
    rmSync(dir, { recursive: true, force: true });
  }
}

function compare(records: number, database: string, rejectsPath: string) {
  const db = new Database(database);
  const stored = db.prepare('SELECT user_id AS id, properties FROM event').all() as {
    id: string;
    properties: string;
  }[];
  db.close();
  const found = new Map<string, number>();
  for (const { id, properties } of stored)
    found.set(`${id} ${properties}`, (found.get(`${id} ${properties}`) ?? 0) + 1);
  const all = Array.from({ length: records }, (_, n) => n);
  const good = all.filter((n) => !isBad(n)).map((n) => `user-${n} {"n":${n}}`);
  const rejects = readFileSync(rejectsPath, 'utf8').trimEnd().split('\n');
  // Each ends with the number of its record, whatever its form.
  const rejected = rejects.map((line) =>
    Number(/(\d+)\D*$/.exec((JSON.parse(line) as { raw: string }).raw)?.[1]),
  );
  return {
    accepted: stored.length,
    lost: good.filter((key) => !found.has(key)).length,
    doubled: stored.length - found.size,
    rejectsMissing: all.filter((n) => isBad(n) && !rejected.includes(n)).length,
    rejectsDoubled: rejected.length - new Set(rejected).size,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
