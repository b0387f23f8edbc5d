import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';

const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(ROOT, name)),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, 'docs', name)),
];

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** The text of a page without code. */
const prose = (page: string) => readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');

const anchorsOf = (page: string) =>
  new Set([...prose(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => anchorOf(heading!)));

/** The links of a page to files and headings of this project that do not exist. */
function brokenLinks(page: string): string[] {
  const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^(https?|mailto):/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
    })
    .map((target) => `${relative(ROOT, page)}: ${target}`);
}

it('every link between the pages leads somewhere', () => {
  expect(PAGES.length).toBeGreaterThan(20);
  expect(PAGES.flatMap(brokenLinks)).toEqual([]);
});
