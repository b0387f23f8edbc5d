import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Mapping } from '../../../src/features/import/mapping/mapping.ts';
import type { ImportName } from '../../../src/features/import/run/identity.ts';
import { runImport } from '../../../src/features/import/run/import.ts';
import type { ImportOptions } from '../../../src/features/import/run/options.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { KeyedService } from '../peers/keyed-service.ts';
import { tempDir } from '../temp.ts';

export const event = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}`;
export const events = (count: number, from = 0) => Array.from({ length: count }, (_, n) => event(n + from));
export const MAPPING: Mapping = {
  kind: 'events',
  map: [],
  set: new Map(),
  types: new Map(),
  convert: undefined,
  extraFields: undefined,
  validate: true,
};

/** An import of files in a new folder, which can be run repeatedly. */
export function importer(files: Record<string, string | Buffer>, service = new KeyedService()) {
  const cwd = tempDir();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const notices: string[] = [];
  const plain: ImportName = {
    kind: 'events',
    inputs: Object.keys(files),
    cwd,
    baseUrl: 'http://test',
    workspace: 'w',
    shard: undefined,
    batchSize: 10,
    limit: undefined,
  };
  const run = (more: Partial<ImportOptions> = {}, world: Record<string, unknown> = {}) => {
    const { name, ...rest } = more;
    return runImport(
      {
        name: { ...plain, ...name },
        reading: {},
        mapping: MAPPING,
        preflight: false,
        concurrency: 4,
        maxErrors: undefined,
        flushInterval: 5000,
        maxWait: 0,
        mode: 'fresh',
        journal: join(cwd, 'the.journal'),
        rejects: 'rejects.ndjson',
        rejectsOfInputs: true,
        claims: cwd,
        resumeCommand: 'go on',
        ...rest,
      },
      {
        stdin: Readable.from([]),
        clock: systemClock,
        random: () => 0.5,
        send: service.send,
        traffic: () => ({
          requests: service.bodies.length,
          retries: 0,
          rateLimited: 0,
          rateLimit: null,
          heldBackMs: 0,
        }),
        stop: new AbortController().signal,
        onNotice: (text: string) => notices.push(text),
        ...world,
      },
    );
  };
  const rejects = () => {
    const path = join(cwd, 'rejects.ndjson');
    if (!existsSync(path)) return undefined;
    return readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { run, rejects, service, cwd, notices, name: plain };
}
