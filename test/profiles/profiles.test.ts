import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ForeignFile } from '../../src/kit/files/own-file.ts';
import { Profiles } from '../../src/profiles/profiles.ts';
import { runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

it.each(['{"profiles":{}}', undefined])('does not write through a symbolic link to %j', async (content) => {
  const folder = tempDir();
  const other = join(tempDir(), 'other.json');
  if (content !== undefined) writeFileSync(other, content);
  symlinkSync(other, join(folder, 'profiles.json'));
  const changed = new Profiles(folder).change((contents) => {
    contents.current = 'local';
  });
  await expect(changed).rejects.toThrow(ForeignFile);
  if (content === undefined) expect(existsSync(other)).toBe(false);
  else expect(readFileSync(other, 'utf8')).toBe(content);
});

it('names the folder of the file itself as the next step, which works', async () => {
  const real = tempDir();
  const folder = tempDir();
  writeFileSync(join(real, 'profiles.json'), '{"profiles":{}}');
  symlinkSync(join(real, 'profiles.json'), join(folder, 'profiles.json'));
  const add = 'profiles add eu --workspace w --region eu --base-url https://eu.example.com --no-check'.split(
    ' ',
  );
  const env = { SVC_CONFIG_DIR: folder, SVC_API_KEY: 'sk_test_0123456789abcdef' };
  const refused = await runSvc(add, { env });
  expect(refused.code).toBe(2);
  const dir =
    /next: name the folder of the file itself: SVC_CONFIG_DIR=(\S+ "\$\(realpath \S+\)"\)") svc profiles add eu/;
  const expression = dir.exec(refused.stderr.replace(/\s+/g, ' '))![1]!;
  const named = execFileSync('sh', ['-c', `printf %s ${expression}`], { encoding: 'utf8' });
  expect(named).toBe(realpathSync(real));
  expect((await runSvc(add, { env: { ...env, SVC_CONFIG_DIR: named } })).code).toBe(0);
  expect(readFileSync(join(real, 'profiles.json'), 'utf8')).toContain('eu.example.com');
});
