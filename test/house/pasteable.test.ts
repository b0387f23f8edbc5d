import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/program/commands.gen.ts';
import { ROOT } from '../support/process/run-svc.ts';

const TOPICS = [...new Set(Object.keys(COMMANDS).map((id) => id.split(':')[0]))].join('|');
const PROGRAMS =
  'bzip2|cat|chmod|chown|cp|curl|df|fuser|grep|gzip|head|iconv|jq|kill|ln|ls|mkdir|mv|openssl|psql|rm|tail|unzip|xz|zstd';
/** The beginning of a command at the end of a text: a program, and no mark that ends the command. */
const COMMAND = new RegExp(
  `(?:^|[\\s\`'"(;|&])(?:svc (?:${TOPICS}|…)\\b|(?:${PROGRAMS})\\s|export \\w+=)(?:(?![;:,]\\s|\\)|\`)[^\\n])*$`,
);
/** Makes of foreign words what a shell reads as words. */
const QUOTES = new Set(['shellWord', 'shellPath', 'commandLine']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const nameOf = (node: Node | undefined): string | undefined =>
  node?.type === 'Identifier' ? (node.name as string) : undefined;

/** An expression whose text the shell reads as one word or as none: a quoted word, a number, a choice between such. */
function isQuoted(node: Node): boolean {
  switch (node.type) {
    case 'CallExpression': {
      const callee = node.callee as Node;
      if (QUOTES.has(nameOf(callee) ?? '')) return true;
      // [...].map(shellWord).join(' '), and a list mapped by a function that quotes.
      if (callee.type !== 'MemberExpression') return false;
      const method = nameOf(callee.property as Node) ?? '';
      // The commands that are made of what was typed quote it (src/cli/invocation/invocation.ts).
      if (/^(rerunWith|onSameService|onSameResource|locally|help)$/.test(method))
        return nameOf(callee.object as Node) === 'typed';
      if (method === 'join') return isQuoted(callee.object as Node);
      if (method !== 'map') return false;
      const [by] = node.arguments as Node[];
      return (
        QUOTES.has(nameOf(by) ?? '') || (by?.type === 'ArrowFunctionExpression' && isQuoted(by.body as Node))
      );
    }
    case 'TaggedTemplateExpression':
      return nameOf(node.tag as Node) === 'shell';
    case 'Literal':
      return true;
    case 'TemplateLiteral':
      return (node.expressions as Node[]).every(isQuoted);
    case 'ConditionalExpression':
      return isQuoted(node.consequent as Node) && isQuoted(node.alternate as Node);
    case 'BinaryExpression':
      return node.operator !== '+' || (isQuoted(node.left as Node) && isQuoted(node.right as Node));
    default:
      return false;
  }
}

/** The expressions that stand unquoted behind a command in a template or a sum of texts. */
function unquoted(source: string): string[] {
  const found: string[] = [];
  const line = (node: Node) => source.slice(0, node.start).split('\n').length;
  const look = (node: Node, tagged: boolean): void => {
    if (node.type === 'TaggedTemplateExpression') {
      const known = ['shell', 'sql', 'raw'].includes(nameOf(node.tag as Node) ?? '');
      for (const child of childrenOf(node)) look(child, known);
      return;
    }
    if (node.type === 'TemplateLiteral' && !tagged) {
      const parts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
      let before = '';
      (node.expressions as Node[]).forEach((expression, index) => {
        before += parts[index];
        if (COMMAND.test(before) && !isQuoted(expression))
          found.push(`${line(expression)}: ${before.trim()}`);
        before += '…';
      });
    }
    if (node.type === 'BinaryExpression' && node.operator === '+') {
      const left = node.left as Node;
      const text = left.type === 'Literal' ? left.value : (left.right as Node | undefined)?.value;
      if (typeof text === 'string' && COMMAND.test(text) && !isQuoted(node.right as Node))
        found.push(`${line(node)}: ${text.trim()}`);
    }
    for (const child of childrenOf(node)) look(child, false);
  };
  look(parseAst(source, { lang: 'ts' }) as unknown as Node, false);
  return found;
}

describe('a command that svc prints', () => {
  const folder = join(ROOT, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.gen.ts'),
  );

  it('quotes every inserted word', () => {
    expect(files.length).toBeGreaterThan(200);
    const bad = files.flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      return unquoted(source).map((place) => `${file}:${place}`);
    });
    expect(bad).toEqual([]);
  });

  it.each([
    ['`see \\`svc notifications watch @{id}\\``', 1],
    ['`go on:\\n  svc webhooks delete @{id}`', 1],
    ["'first: rm ' + path", 1],
    ['`mv @{shellWord(a)} @{b}`', 1],
    ['`export SVC_REGION=@{region}`', 1],
    ['`svc events @{command} --base-url @{url}`', 2],
    ['shell`svc webhooks delete @{id}`', 0],
    ['`mv @{shellWord(a)} @{shellPath(b)}`', 0],
    ['`svc events import @{words.map(shellWord).join(" ")}`', 0],
    ['`the service has @{count} of them`', 0],
  ])('is found by this test where it does not quote: %s', (source, count) => {
    expect(unquoted(source.replaceAll('@', '$'))).toHaveLength(count);
  });
});
