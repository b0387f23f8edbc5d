import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { peakOf } from '../../support/process/peak-memory.ts';
import { type SvcProgram, svcProgram } from '../../support/process/svc-process.ts';
import { HOSTILE_FILES } from '../../support/scenarios/hostile-files.ts';
import { tempDir } from '../../support/temp.ts';

/** V8 of Node.js 24 lets its heap grow further before it collects: 294 MB were measured there for the widest table. */
const MB = Number(process.versions.node.split('.')[0]) >= 24 ? 330 : 250;
/** The service is not asked for more than a batch. */
const COMMANDS = [['import', '--no-preflight'], ['import', '--dry-run'], ['inspect']];

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});

test.each(Object.keys(HOSTILE_FILES))(
  `%s needs at most ${MB} MB, and ends as documented`,
  async (name) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, name), HOSTILE_FILES[name]!());
    const sink = await startReceiver((response) => response.writeHead(202).end('{"accepted":1}'));
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      SVC_BASE_URL: sink.url.replace(/\/$/, ''),
      SVC_WORKSPACE: 'w',
      SVC_API_KEY: 'k',
    };
    for (const argv of COMMANDS) {
      const { code, stderr, megabytes } = await peakOf(program, ['events', ...argv, name, '--json'], {
        env,
        cwd,
      });
      expect(megabytes, argv.join(' ')).toBeLessThan(MB);
      expect([0, 2, 7], `${argv.join(' ')}: ${stderr}`).toContain(code);
    }
    await sink.close();
  },
  300_000,
);

test.each([
  ['arrays-inside-arrays.ndjson', 'is nested more than 100 levels deep'],
  ['many-keys.ndjson', 'has more than 100000 values'],
  ['many-cells.csv', 'has more than 16384 cells'],
])('a record of %s is rejected: it %s', async (name, reason) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), HOSTILE_FILES[name]!());
  const argv = ['events', 'import', name, '--dry-run', '--json'];
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const { code, stdout } = await program.start(argv, { env, cwd }).ended;
  expect(code).toBe(7);
  const { rejectsFile } = JSON.parse(stdout) as { rejectsFile: string };
  expect(readFileSync(join(cwd, rejectsFile), 'utf8').slice(0, 300)).toContain(`"reason":"${reason}"`);
});
