import { appendFileSync, chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../support/peers/receiver.ts';
import { installedSvc } from '../support/process/installed-svc.ts';
import { ROOT } from '../support/process/run-svc.ts';

const svc = installedSvc();

const lines = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, n) => `{"userId":"u${from + n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`,
  ).join('');

/** A desk with `jq` and a service, on which the script of the README is run night after night. */
async function desk(env: Record<string, string> = { SVC_PROFILE: 'local' }) {
  const { session, work, bin } = svc.session(env);
  onTestFinished(() => session.close());
  const jq = join(bin, 'jq');
  // Found from the repository, where what it needs is installed.
  writeFileSync(jq, `#!/bin/sh\nexec node ${join(ROOT, 'test/support/jq.mjs')} "$@"\n`);
  chmodSync(jq, 0o755);
  const night = async (more = '') => {
    const { output, code } = await session.run(`sh examples/nightly.sh log.ndjson ${more} 2> said`, 60_000);
    const said = (await session.run('cat said')).output;
    return { code, said, result: output.trim() };
  };
  return { night, log: join(work, 'log.ndjson') };
}

const counts = (accepted: number, skipped: number, rejected = 0, unsent = 0) =>
  JSON.stringify({ accepted, skipped, rejected, unsent });

it('the nightly script: first, unchanged, appended, rejected, rotated, and its exit codes', async () => {
  const { night, log } = await desk();
  expect(await night()).toMatchObject({ code: 2 });
  writeFileSync(log, lines(0, 1500));
  expect(await night()).toEqual({ code: 0, said: '', result: counts(1500, 0) });
  expect(await night()).toEqual({ code: 0, said: '', result: counts(0, 1500) });
  appendFileSync(log, lines(1500, 700));
  expect(await night()).toEqual({ code: 0, said: '', result: counts(700, 1500) });
  appendFileSync(log, `bad\n${lines(2200, 1)}`);
  expect(await night()).toMatchObject({ code: 7, result: counts(1, 2200, 1) });
  expect(await night()).toMatchObject({ code: 0, said: '', result: counts(0, 2202) });
  cpSync(log, `${log}.1`);
  writeFileSync(log, lines(9000, 10));
  expect(await night()).toEqual({ code: 0, said: '', result: counts(10, 0) });
  expect(await night()).toEqual({ code: 0, said: '', result: counts(0, 10) });
}, 300_000);

it('the nightly script: nights on which the service fails are made up for on the next', async () => {
  let failsFrom = Number.POSITIVE_INFINITY;
  let requests = 0;
  const service = await startReceiver((response) => {
    if (++requests > failsFrom) response.writeHead(503).end();
    else response.writeHead(202).end('{"accepted":100}');
  });
  onTestFinished(() => service.close());
  const { night, log } = await desk({
    SVC_BASE_URL: service.url.replace(/\/$/, ''),
    SVC_WORKSPACE: 'w',
    SVC_API_KEY: 'k',
  });
  const flags = '--max-retries 0 --batch-size 100 --concurrency 1';
  writeFileSync(log, lines(0, 1500));
  expect(await night(flags)).toMatchObject({ code: 0, result: counts(1500, 0) });

  appendFileSync(log, lines(1500, 500));
  failsFrom = requests + 2;
  expect(await night(flags)).toMatchObject({ code: 6, result: counts(200, 1500, 0, 300) });
  failsFrom = Number.POSITIVE_INFINITY;
  expect(await night(flags)).toEqual({ code: 0, said: '', result: counts(300, 1700) });
  expect(await night(flags)).toEqual({ code: 0, said: '', result: counts(0, 2000) });
}, 300_000);
