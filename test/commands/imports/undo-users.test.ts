import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

test('a run of users import is taken back: what it created and nobody used since', async () => {
  const service = await startTestService();
  const home = tempDir();
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home, env: service.env });
  const load = (file: string, users: string[]) => {
    writeFileSync(join(home, file), `userId,plan\n${users.map((user) => `${user},a\n`).join('')}`);
    return svc('users', 'import', file);
  };
  await load('old.csv', ['old']);
  expect(await load('new.csv', ['old', 'x', 'y', 'used'])).toMatchObject({ code: 0 });
  await load('later.csv', ['used']);
  const { imports } = JSON.parse((await svc('imports', 'list', '--json')).stdout) as {
    imports: { inputs: string[]; runs: { runId: string; accepted: number; undone: boolean }[] }[];
  };
  const runOf = (list: typeof imports) => list.find(({ inputs }) => inputs[0]!.endsWith('new.csv'))!.runs[0]!;
  const { runId } = runOf(imports);

  expect(await svc('imports', 'undo', runId)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  const dry = await svc('imports', 'undo', runId, '--dry-run');
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toMatch(
    /^2 users\n {2}[xy] \w+\n {2}[xy] \w+\n1 user that the run created was used since and stays\nnothing was deleted/,
  );
  const done = await svc('imports', 'undo', runId, '--yes');
  expect(done).toMatchObject({
    code: 0,
    stdout:
      'deleted 2 users. 1 user that the run created was used since and stays. ' +
      'What the run changed in users that existed before stays.\n',
  });
  const again = JSON.parse((await svc('imports', 'undo', runId, '--yes', '--json')).stdout);
  expect(again).toMatchObject({ users: 0, kept: 1, status: 'done' });
  expect(runOf(JSON.parse((await svc('imports', 'list', '--json')).stdout).imports)).toMatchObject({
    undone: true,
  });
  // The next import sends them again.
  expect(await svc('users', 'import', 'new.csv')).toMatchObject({ code: 0 });

  // Where no journal knows the run, the service says what it sent.
  const elsewhere = await runSvc(['imports', 'undo', runId, '--yes'], { home: tempDir(), env: service.env });
  expect(elsewhere).toMatchObject({ code: 0, stdout: expect.stringContaining('no users to delete.') });
});
