import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../src/cli/command/manifest.ts';
import { toParseError } from '../../src/cli/command/parse-error.ts';
import { ALIASES, COMMANDS } from '../../src/program/commands.gen.ts';
import { findCommand } from '../../src/program/find-command.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const { commands, topics } = readManifest(ROOT);
const ids = Object.keys(COMMANDS);
const names = { ids, aliases: ALIASES };
const shown = commands.flatMap(({ id, aliases }) => [id, ...aliases]).map((id) => id.replaceAll(':', ' '));
const topicNames = [...new Set(ids.filter((id) => id.includes(':')).map((id) => id.split(':')[0]!))];

/** Every text that is one typing error away: a letter left out, doubled, replaced, or two that changed places. */
function typosOf(word: string): string[] {
  const typos = [...word].flatMap((letter, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const next = after[0];
    return [
      before + after,
      `${before}${letter}${letter}${after}`,
      ...['q', 'e'].map((other) => before + other + after),
      ...(next === undefined ? [] : [before + next + letter + after.slice(1)]),
    ];
  });
  return [...new Set(typos)].filter((typo) => typo !== word && /^[a-z]/.test(typo));
}

/** What `svc` suggests for a command line; undefined where it only names a page of help. */
function suggestion(line: string): string | undefined {
  try {
    findCommand(names, line.split(' '));
    return line;
  } catch (error) {
    const { hint } = error as { hint: string };
    return /^did you mean `svc (.*)`\?$/.exec(hint)?.[1];
  }
}

/** Levenshtein distance of two words, implemented independently. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}

describe('a suggestion', () => {
  it.each([...shown, ...topicNames])(
    'for every one-letter typo of `svc %s` is that name or one as near',
    (name) => {
      const words = name.split(' ');
      for (const [at, word] of words.entries())
        for (const typo of typosOf(word)) {
          const typed = words.with(at, typo).join(' ');
          const meant = suggestion(typed);
          // `import` is a typo of a topic, and no typo of a command without its topic.
          if (meant === undefined || [name, typed].includes(meant) || meant.endsWith(` ${typed}`)) continue;
          const theirs = meant.split(' ');
          expect(theirs.length, `${typed}: ${meant}`).toBeLessThanOrEqual(words.length);
          for (const [i, other] of theirs.entries())
            expect(distance(typed.split(' ')[i]!, other), `${typed}: ${meant}`).toBeLessThanOrEqual(
              distance(typed.split(' ')[i]!, words[i]!),
            );
        }
    },
  );

  it('is made for almost every such typo', () => {
    const all = shown.flatMap((name) => typosOf(name.split(' ')[0]!).map((typo) => ({ name, typo })));
    const found = all.filter(({ name, typo }) => {
      const [, ...rest] = name.split(' ');
      return suggestion([typo, ...rest].join(' ')) === name;
    });
    expect(found.length / all.length).toBeGreaterThan(0.95);
  });

  it.each(['list', 'get', 'xyz', 'webhooks xyz', 'profiles please', 'events list', 'data get', 'a b c'])(
    'is not made for `svc %s`, which is near to nothing',
    (line) => expect(suggestion(line)).toBeUndefined(),
  );

  it.each([
    ['webhook', 'webhooks'],
    ['profile', 'profiles'],
    ['webhook list', 'webhooks list'],
    ['web', 'webhooks'],
    ['webhooks lsit', 'webhooks list'],
    ['notificatoins get n_1', 'notifications get'],
    ['profiles create', 'profiles add'],
    ['login', undefined],
  ])('for `svc %s` is %s', (line, meant) => expect(suggestion(line)).toBe(meant));

  const flagsOf = (id: string) => commands.find((command) => command.id === id)!.flags;

  it.each(commands.map(({ id }) => id))(
    'for every one-letter typo of a flag of %s is that flag, or as near',
    (id) => {
      const visible = Object.values(flagsOf(id)).filter(({ hidden }) => !hidden);
      const spelled = [
        ...visible.flatMap(({ name, allowNo }) => (allowNo ? [name, `no-${name}`] : [name])),
        'help',
      ];
      for (const flag of spelled)
        for (const typo of typosOf(flag).filter((text) => !spelled.includes(text))) {
          const mistake = Object.assign(new (class NonExistentFlagsError extends Error {})('x'), {
            oclif: {},
            flags: [`--${typo}`],
          });
          const { hint } = toParseError(mistake, id, flagsOf(id)) as { hint: string };
          const meant = /^did you mean --(.*)\?$/.exec(hint)?.[1];
          if (meant === undefined) expect(flag.length, `--${typo}`).toBeLessThanOrEqual(4);
          else {
            expect(spelled).toContain(meant);
            expect(distance(typo, meant), `--${typo}: --${meant}`).toBeLessThanOrEqual(distance(typo, flag));
          }
        }
    },
  );
});

describe('a topic alone', () => {
  it.each(topicNames.filter((topic) => !ids.includes(topic)))(
    '`svc %s` shows its help, exit 0',
    async (topic) => {
      expect(topics).toHaveProperty(topic);
      const run = await runSvc([topic]);
      expect(run).toEqual({ ...(await runSvc([topic, '--help'])), code: 0, stderr: '' });
      for (const id of ids.filter((one) => one.startsWith(`${topic}:`)))
        expect(run.stdout).toContain(id.replace(':', ' '));
      const json = await runSvc([topic, '--json']);
      expect(json).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(json.stdout).commands.length).toBeGreaterThan(0);
      for (const more of [['nosuch'], ['--limit', '5']]) {
        const wrong = await runSvc([topic, ...more]);
        expect(wrong).toMatchObject({ code: 2, stdout: '' });
        expect(wrong.stderr).toContain(`next: see \`svc ${topic} --help\``);
      }
    },
  );
});

it.each([
  ['events my.csv import --map userId=u', 'svc events import my.csv --map userId=u'],
  ['./my.csv events import', 'svc events import ./my.csv'],
  ['events a.csv import import', 'svc events import a.csv import'],
])('refuses `svc %s`, whose words are in another order, and imports nothing', async (line, meant) => {
  const home = tempDir();
  writeFileSync(join(home, 'import'), '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n');
  const run = await runSvc([...line.split(' '), '-p', 'local'], { home, cwd: home });
  const file = line.split(' ').find((word) => word.endsWith('.csv'));
  expect([run.code, run.stdout, run.stderr]).toEqual([
    2,
    '',
    `error: the words of a command come first, and ${file} is not one of them\n  next: ${meant} -p local\n`,
  ]);
});
