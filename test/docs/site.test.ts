import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { pagesInOrder } from '../../scripts/pages.js';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

/** The anchors of a page. */
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);

interface Page {
  readonly file: string;
  readonly html: string;
}

it('the site has every page, no link that leads nowhere, and loads nothing from elsewhere', () => {
  const site = tempDir();
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'site.js'), site], { stdio: 'pipe' });
  const pages: Page[] = readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .map((file) => ({ file: join(site, file), html: readFileSync(join(site, file), 'utf8') }));
  const names = pages.map(({ file }) => relative(site, file).replaceAll('\\', '/'));
  const expected = [
    'index.html',
    'docs/index.html',
    ...pagesInOrder(ROOT).map(({ file }) => `docs/${file.replace('.md', '.html')}`),
  ];
  expect(expected.length).toBeGreaterThan(25);
  expect(expected.filter((name) => !names.includes(name))).toEqual([]);

  let links = 0;
  const broken = pages.flatMap(({ file, html }) => {
    const targets = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target]) => target!);
    return targets
      .filter((target) => !/^(https?|mailto|data):/.test(target))
      .filter((target) => {
        links++;
        const [path = '', anchor] = target.split('#');
        const to = path === '' ? file : join(dirname(file), path);
        if (!existsSync(to) || !statSync(to).isFile()) return true;
        return anchor !== undefined && !idsOf(readFileSync(to, 'utf8')).includes(decodeURIComponent(anchor));
      })
      .map((target) => `${relative(site, file)}: ${target}`);
  });
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(300);
  for (const { file, html } of pages) expect(idsOf(html), file).toEqual([...new Set(idsOf(html))]);

  for (const { file, html } of pages) {
    // Links may lead elsewhere; what a page loads may not.
    expect(html.match(/<(?:script|iframe|object|embed|video|audio|source|form)\b/gi), file).toBeNull();
    for (const [, address] of html.matchAll(/<(?:img|link)\b[^>]*? (?:src|href)="([^"]*)"/g))
      expect(address, file).toMatch(/^(?!https?:|\/\/)/);
  }
  const css = readFileSync(join(site, 'style.css'), 'utf8');
  expect(css).not.toMatch(/url\(|@import/);
  expect(css).toContain('prefers-color-scheme: dark');
  expect(readFileSync(join(site, 'docs', 'catalog.html'), 'utf8')).toContain('{{user.name|there}}');
});
