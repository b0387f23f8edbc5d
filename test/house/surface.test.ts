import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type ManifestCommand, readManifest } from '../../src/cli/command/manifest.ts';
import { EXIT_MEANINGS } from '../../src/cli/errors/exit-codes.ts';
import { ENVIRONMENT } from '../../src/cli/help/environment-variables.ts';
import { examplesOf } from '../../src/cli/help/pages.ts';
import { SHIPPED } from '../../src/service/notifications/providers/file/shipped.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';

/** The public surface, frozen: what a script may rely on changes only where somebody means it. */
const RENEW = 'if this change is meant, renew the snapshot with `npm run snapshots`';
const snapshot = (name: string) => join(ROOT, 'test', 'snapshots', name);

const { commands } = readManifest(ROOT);

describe('the surface', () => {
  it('has the recorded commands, arguments, flags and exit codes', async () => {
    const lines = commands.flatMap((command) => [
      `svc ${command.id.replaceAll(':', ' ')}  exits ${command.exitCodes.join(' ')}${command.aliases.length > 0 ? `  also ${command.aliases.join(' ')}` : ''}`,
      ...Object.values(command.args).map(
        ({ name, required, options }) =>
          `  ${required ? name : `[${name}]`}${options ? ` ${options.join('|')}` : ''}`,
      ),
      ...Object.values(command.flags)
        .filter(({ helpGroup }) => helpGroup !== 'GLOBAL')
        .map(flagLine),
    ]);
    const global = Object.values(commands[0]!.flags).filter(({ helpGroup }) => helpGroup === 'GLOBAL');
    await expect(
      `${['every command', ...global.map(flagLine), ...lines].join('\n')}\n`,
      RENEW,
    ).toMatchFileSnapshot(snapshot('surface.txt'));
  });

  it.each(commands.map(({ id }) => id.replaceAll(':', ' ')))(
    'says of `svc %s` what it said',
    async (typed) => {
      const { stdout, code, stderr } = await runSvc([...typed.split(' '), '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await expect(stdout, RENEW).toMatchFileSnapshot(snapshot(`help/${typed.replaceAll(' ', '/')}.txt`));
      // Only one word, such as a signature, may be wider than a terminal of 80 columns.
      const wide = stdout.split('\n').filter((line) => stringWidth(line) > 80);
      expect(wide.filter((line) => /\S\s+\S/.test(line.replace(/^ +--[\w-]+ /, '')))).toEqual([]);
    },
  );

  it.each([
    '',
    'help exit-codes',
    'help environment',
    'help files',
    'help flags',
    'webhooks --help',
    'help events',
  ])('prints the recorded help for `svc %s`', async (line) => {
    const { stdout, code } = await runSvc(line.split(' ').filter(Boolean), {
      env: { HOME: '/home/you', SVC_CONFIG_DIR: undefined, SVC_DATA_DIR: undefined },
    });
    expect(code).toBe(0);
    await expect(stdout, RENEW).toMatchFileSnapshot(
      snapshot(`help/${line.replace(/[ -]+/g, '-') || 'svc'}.txt`),
    );
  });

  it('has no snapshot of a removed command', () => {
    const known = new Set(commands.map(({ id }) => `${id.replaceAll(':', '/')}.txt`));
    const pages = readdirSync(snapshot('help'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.txt') && !/^(svc|help-.*|webhooks-help)\.txt$/.test(file),
    );
    expect(
      pages.filter((file) => !known.has(file)),
      RENEW,
    ).toEqual([]);
  });
});

describe('every command', () => {
  it.each(commands.map((command) => [command.id, command] as const))('%s has complete help', (_, command) => {
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(command.summary!.length).toBeLessThanOrEqual(80);
    // That they run is shown by test/acceptance/examples.test.ts.
    expect(examplesOf(command).join('\n')).toContain(`svc ${command.id.replaceAll(':', ' ')}`);
    for (const code of command.exitCodes) expect(EXIT_MEANINGS).toHaveProperty(String(code));
    for (const flag of Object.values(command.flags)) expect(flag.summary, flag.name).toBeTruthy();
  });
});

describe('the environment', () => {
  it('lists every variable that the source reads, and no other', () => {
    const source = ['src', 'bin'].flatMap((dir) =>
      readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('environment.ts'))
        .map((file) => readFileSync(join(ROOT, dir, file), 'utf8')),
    );
    const read = new Set(
      source.flatMap((text) =>
        [...text.matchAll(/\benv(?:ironment)?\.([A-Z][A-Z_]+)\b|'(OTEL_[A-Z_]+)'/g)].map(
          ([, name, otel]) => (name ?? otel)!,
        ),
      ),
    );
    for (const { settings } of Object.values(SHIPPED) as { settings: Record<string, { env: string }> }[])
      for (const { env } of Object.values(settings))
        for (const channel of ['WHATSAPP', 'SMS', 'PUSH', 'EMAIL'])
          read.add(env.replace('{CHANNEL}', channel));
    expect(
      Object.values(ENVIRONMENT)
        .flatMap((part) => Object.keys(part))
        .sort(),
    ).toEqual([...read].sort());
  });
});

function flagLine({
  name,
  char,
  type,
  multiple,
  required,
  options,
  default: preset,
  allowNo,
}: ManifestCommand['flags'][string]) {
  return `  --${allowNo ? '[no-]' : ''}${name}${char ? ` -${char}` : ''}${type === 'option' ? ' VALUE' : ''}${options ? ` ${options.join('|')}` : ''}${multiple ? ' …' : ''}${required ? ' required' : ''}${preset === undefined ? '' : ` = ${preset}`}`;
}
