import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nextLine, pagesInOrder } from '../../scripts/pages.js';
import { ROOT } from '../support/process/run-svc.ts';

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

it('the index has every page once, in an order that each page continues at its end', () => {
  const pages = pagesInOrder(ROOT).map(({ file }) => file);
  const files = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && name !== 'index.md');
  expect([...pages].sort()).toEqual(files.sort());
  for (const file of pages)
    expect(read('docs', file).trimEnd().split('\n').at(-1), file).toBe(nextLine(ROOT, file));
});

it('the README has under 700 words, five pictures and five jobs', () => {
  const readme = read('README.md');
  expect(readme.split(/\s+/).length).toBeLessThan(700);
  expect(readme.match(/!\[/g)).toHaveLength(5);
  expect(readme.match(/^\*\*\d\. .*?\*\*/gm)).toHaveLength(5);
});

it('every field of --json has a meaning, and the rejects file has the fields that are documented', () => {
  const rows = read('docs', 'reference', 'output.md').match(/^\| `.*$/gm)!;
  expect(rows.length).toBeGreaterThan(300);
  // A bar within a cell is escaped.
  expect(rows.filter((row) => row.split(/(?<!\\)\|/)[3]!.trim() === '')).toEqual([]);
  const source = read('src', 'features', 'import', 'record', 'reject.ts');
  const written = [...source.matchAll(/readonly (\w+)\??:/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'fixableBy' && name !== 'violations');
  const table = /\| Field \| Meaning \|\n\|---\|---\|\n((?:\| `.*\n)+)/.exec(read('docs', 'import.md'))![1]!;
  expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(written);
});

it('the package has a man page for every command topic and every page of the docs', () => {
  const { man } = JSON.parse(read('package.json')) as { man: string[] };
  expect(
    readdirSync(join(ROOT, 'man'))
      .map((name) => `man/${name}`)
      .sort(),
  ).toEqual([...man].sort());
  const page = read('man', 'svc-events.1');
  expect(page).toContain('.TH "SVC\\-EVENTS" "1"');
  expect(page).toContain('svc events import');
  expect(read('man', 'svc.1')).toMatch(/\.SH EXIT STATUS[\s\S]*\.SS 4: not configured[\s\S]*\.SH SEE ALSO/);
});

it('CI runs the commands of the README, and of every page whose commands are marked to be run', () => {
  const ci = read('.ci', 'run');
  const [, list = ''] = /for page in (.*?); do/.exec(ci)!;
  expect(ci).toContain('npm run readme');
  const marked = pagesInOrder(ROOT)
    .map(({ file }) => file)
    .filter((file) => /^<!-- run: /m.test(read('docs', file)) || file === 'recipes.md');
  expect(marked.filter((file) => !list.split(' ').includes(file.replace('.md', '')))).toEqual([]);
});
