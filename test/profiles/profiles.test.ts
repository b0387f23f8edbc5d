import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Profiles, ProfilesUnusable } from '../../src/profiles/profiles.ts';
import { tempDir } from '../support/temp.ts';

it.each(['{"profiles":{}}', undefined])('does not write through a symbolic link to %j', async (content) => {
  const folder = tempDir();
  const other = join(tempDir(), 'other.json');
  if (content !== undefined) writeFileSync(other, content);
  symlinkSync(other, join(folder, 'profiles.json'));
  const changed = new Profiles(folder).change((contents) => {
    contents.current = 'local';
  });
  await expect(changed).rejects.toThrow(ProfilesUnusable);
  await expect(changed).rejects.toThrow(/symbolic link.*SVC_CONFIG_DIR/);
  if (content === undefined) expect(existsSync(other)).toBe(false);
  else expect(readFileSync(other, 'utf8')).toBe(content);
});
