/**
 * Makes the man pages from docs/*.md, in man/: `svc.1`, a page for each topic of commands (`svc-events.1`), and the other
 * pages in section 7 (`svc-import.7`). Part of `npm run build`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { marked } from 'marked';
import markedMan from 'marked-man';
import { pagesInOrder } from './pages.js';

/** Pages whose content is in svc(1). */
const IN_MAIN = ['commands', 'flags', 'environment', 'files', 'exit-codes'];

/** Writes the man pages of the project in `root` into its folder man/. */
export function writeManPages(root) {
  const folder = join(root, 'man');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of Object.entries(manPages(root))) writeFileSync(join(folder, name), text);
}

/** The man pages by file name. */
function manPages(root) {
  const { version, oclif } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const docs = join(root, 'docs');
  const source = Object.fromEntries(
    pagesInOrder(root).map(({ file }) => [nameOf(file), readFileSync(join(docs, file), 'utf8')]),
  );
  const topics = topicsOf(source.commands);
  const guides = Object.keys(source).filter((name) => !IN_MAIN.includes(name));
  const refer = (target) => {
    const page = nameOf(target.split('#')[0]);
    return guides.includes(page) ? ` (**svc-${page}**(7))` : '';
  };
  const roff = (name, section, summary, body) => {
    // Without the date: the same source makes the same page.
    return String(
      marked.parse(`# ${name}(${section}) -- ${summary}\n\n${plain(body, refer)}`, {
        name,
        section: String(section),
        manual: 'svc',
        manVersion: version,
        breaks: false,
      }),
    ).replace(/^(\.TH "[^"]*" "[^"]*") "[^"]*"/m, '$1 ""');
  };
  const summaryOf = (topic, [first]) =>
    oclif.topics[topic]?.description ?? /^## .*\n\n(.*)\.$/m.exec(first)[1];
  marked.use(markedMan);
  const see = [
    ...[...topics.keys()].map((topic) => `**svc-${topic}**(1)`),
    ...guides.map((name) => `**svc-${name}**(7)`),
  ].join(', ');
  const list = source.commands.match(/^- .*$/gm).join('\n');
  const main = [
    '## SYNOPSIS\n\n`svc` COMMAND [ARGUMENTS] [FLAGS]',
    `## COMMANDS\n\n${list}`,
    `## FLAGS\n\n${demoted(source.flags)}`,
    `## ENVIRONMENT\n\n${demoted(source.environment)}`,
    `## FILES\n\n${demoted(source.files)}`,
    `## EXIT STATUS\n\n${demoted(source['exit-codes'])}`,
    `## SEE ALSO\n\n${see}`,
  ].join('\n\n');
  return {
    'svc.1': roff('svc', 1, 'command line of a Decisioning and Notification Service', main),
    ...Object.fromEntries(
      [...topics].map(([topic, sections]) => [
        `svc-${topic}.1`,
        roff(
          `svc-${topic}`,
          1,
          summaryOf(topic, sections),
          `${sections.join('\n')}\n\n## SEE ALSO\n\n**svc**(1)`,
        ),
      ]),
    ),
    ...Object.fromEntries(
      guides.map((name) => [
        `svc-${name}.7`,
        roff(
          `svc-${name}`,
          7,
          titleOf(source[name]),
          `## DESCRIPTION\n${bodyOf(source[name])}\n\n## SEE ALSO\n\n**svc**(1)`,
        ),
      ]),
    ),
  };
}

/** The name of a page: that of its file, or of the folder of which it is the index. */
const nameOf = (file) => basename(file.replace(/\/index\.md$/, ''), '.md');

const titleOf = (text) => /^# (.*)$/m.exec(text)[1].replace(/`/g, '');

/** A page without its title, comments, and the link to the next page. */
const bodyOf = (text) =>
  text
    .replace(/^# .*$/m, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^Next: .*$/m, '');

/** A page as a section of another. */
const demoted = (text) => bodyOf(text).replace(/^## /gm, '### ');

/** The sections of the page of commands by topic: `events` has those of `svc events …`. */
function topicsOf(text) {
  const topics = new Map();
  for (const section of bodyOf(text)
    .split(/^(?=## svc )/m)
    .slice(1)) {
    const [, topic] = /^## svc ([\w-]+)/.exec(section);
    topics.set(topic, [...(topics.get(topic) ?? []), section]);
  }
  return topics;
}

/** Markdown without links and images; a link to a page becomes a reference to its man page. */
function plain(text, refer) {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
            .replace(/\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/g, (_, words, target) =>
              /^https?:/.test(target) ? `${words} <${target}>` : `${words}${refer(target)}`,
            )
            .replace(/&lt;/g, '<')
            .replace(/(?:^\|.*\|\n?)+/gm, definitions),
    )
    .join('');
}

/** A table of two columns as a list of terms, which fits any terminal. Other tables stay. */
function definitions(table) {
  const [, , ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/));
  if (rows.length === 0 || rows.some((cells) => cells.length !== 2)) return table;
  const text = (cell) => cell.trim().replaceAll('\\|', '|');
  return `${rows.map(([term, meaning]) => `* ${text(term)}:\n  ${text(meaning)}\n`).join('\n')}\n`;
}
