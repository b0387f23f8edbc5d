import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/process/run-svc.ts';
import { filesIn, rowOf } from '../../support/walk-rows.ts';
import { measureWalks } from '../../support/walks.ts';

/** Writes files as a line of ARCHITECTURE.md lists them. */
function listed(files: readonly string[]): string {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const [, folder = '', name = file] = /^(?:(.*\/))?(.*)\.ts$/.exec(file) ?? [];
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  return [...folders]
    .map(([folder, names]) => `\`${folder}${names.length > 1 ? `{${names.join(',')}}` : names[0]}.ts\``)
    .join(', ');
}

it('the walks in ARCHITECTURE.md list the files that each request passes', async () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const row = (name: string) => rowOf(text, name);
  const walks = await measureWalks();
  const everywhere = walks.track.filter((file) => Object.values(walks).every((walk) => walk.includes(file)));
  const stated: Record<string, string[]> = { everywhere: filesIn(row('each request')) };
  const measured: Record<string, string[]> = { everywhere };
  const rows = [`| each request | ${everywhere.length} | ${listed(everywhere)} |`];
  for (const [move, walk] of Object.entries(walks)) {
    const own = walk.filter((file) => !everywhere.includes(file));
    rows.push(`| ${move} | ${walk.length} | ${listed(own)} |`);
    stated[move] = [row(move).split('|')[2]!.trim(), ...filesIn(row(move))];
    measured[move] = [String(walk.length), ...own];
  }
  expect(stated, `write these rows into ARCHITECTURE.md:\n${rows.join('\n')}\n`).toEqual(measured);
});
