import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/program/commands.gen.ts';
import { ROOT } from '../support/process/run-svc.ts';

/** Commands that call no service and read no store: pasted anywhere, they do the same. */
const WITHOUT_SERVICE =
  /^(complete|completion|commands|demo|catalog:validate|events:(inspect|sources)|imports:.*|plugins:.*|profiles:.*|regions:.*|serve.*|webhooks:(replay|send|sign|test|verify))$/;
const REACHING = Object.keys(COMMANDS)
  .filter((id) => !WITHOUT_SERVICE.test(id))
  .map((id) => id.replaceAll(':', ' '));
/** A command that reaches a service, and what follows it on its line. */
const COMMAND = new RegExp(`\\bsvc (?:${REACHING.join('|')})(?![\\w-])[^\\n]*`, 'g');
/** What makes a command reach the same service wherever it is pasted. */
const SELECTS = / --(profile|database)\b/;
/** Texts of the help, which is about no service in particular. */
const HELP = new Set(['summary', 'description', 'examples', 'helpValue', 'usage', 'holds', 'title']);
/** Makes the commands of next steps; comments apart, the only place that writes `svc` before a command. */
const MAKER = 'cli/invocation/';
/** Places with no command line to take the service from, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'cli/help/pages.ts': 'the help of svc, which is about no service in particular',
  'features/console-server/open.ts': 'the title of a page',
  'library/webhooks.ts': 'a library for handlers, which knows no profile',
  'program/find-command.ts': 'the words of the user in another order, with their flags',
  'service/admin/report-modes.ts': 'the log of a service, which has no command line',
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const textOf = (node: Node | undefined): string | undefined =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;

/** True for a mention of a command by its name alone: `svc users import`. */
const isMention = (text: string, at: number, length: number, name: string) =>
  text[at - 1] === '`' && (length === name.length || text[at + name.length] === '`');

/** The commands within a text that would reach another service when they are pasted. */
function strayIn(text: string): string[] {
  return [...text.matchAll(COMMAND)].flatMap(({ 0: found, index }) => {
    const name = `svc ${REACHING.filter((one) => found.startsWith(`svc ${one}`)).reduce((a, b) => (a.length > b.length ? a : b))}`;
    return SELECTS.test(found) || isMention(text, index, found.length, name) ? [] : [found];
  });
}

/** The commands that a source prints and writes by hand, with their lines. */
function byHand(source: string): string[] {
  const found: string[] = [];
  const report = (node: Node, commands: readonly string[]) => {
    const line = source.slice(0, node.start).split('\n').length;
    found.push(...commands.map((command) => `${line}: ${command}`));
  };
  const look = (node: Node): void => {
    const key = node.key as Node | undefined;
    if (key && HELP.has((key.name ?? key.value) as string)) return;
    const text = textOf(node);
    if (text !== undefined) report(node, strayIn(text));
    if (node.type === 'TemplateLiteral') {
      const parts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
      report(node, strayIn(parts.join('…')));
    }
    if (node.type === 'ArrayExpression') {
      const [first, ...words] = (node.elements as Node[]).map(textOf);
      if (first === 'svc' && words[0] !== 'profiles' && !words.includes('--profile'))
        report(node, [`svc ${words.join(' ')}`]);
    }
    for (const child of childrenOf(node)) look(child);
  };
  look(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return found;
}

describe('a printed command that reaches a service', () => {
  const folder = join(ROOT, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') && !file.endsWith('.gen.ts') && !file.startsWith(MAKER) && !(file in EXEMPT),
  );

  it('is made by Invocation, so that it acts on the same service when it is pasted', () => {
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) =>
      byHand(readFileSync(join(folder, file), 'utf8')).map((place) => `${file}:${place}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ["hint: 'svc webhooks list'", 1],
    ['hint: `to follow it: svc notifications watch @{id}`', 1],
    ['shell`list the deliveries: svc webhooks deliveries @{id}`', 1],
    ["hint: '`svc events send --user-id U` sends one'", 1],
    ["commandLine(['svc', 'doctor'])", 1],
    ["commandLine(['svc', ...words])", 1],
    ["hint: 'check the hashId that `svc users import` printed'", 0],
    ["hint: 'svc users get --user-id u --profile local'", 0],
    ["hint: 'svc profiles list'", 0],
    ["hint: 'svc serve --port 0'", 0],
    ["commandLine(['svc', 'doctor', '--profile', name])", 0],
    ["invocation.on('webhooks', 'list')", 0],
    ["x = { description: 'As svc limits does.' }", 0],
  ])('is found by this test if it is written by hand: %s', (source, count) => {
    const text = source.replaceAll('@', '$');
    expect(byHand(text.startsWith('hint') ? `x = { ${text} }` : text)).toHaveLength(count);
  });
});
