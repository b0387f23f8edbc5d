import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/run-svc.ts';

const SRC = join(ROOT, 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const folders = readdirSync(SRC, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** What each source file imports: paths below src, or names of packages. */
const imports = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const specifiers = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g,
    ),
  ];
  return specifiers.map((match) => {
    const specifier = (match[1] ?? match[2])!;
    const target = specifier.startsWith('.')
      ? relative(SRC, resolve(SRC, dirname(file), specifier))
      : specifier;
    return { file, target };
  });
});
const between = (from: RegExp, to: RegExp) =>
  imports
    .filter(({ file, target }) => from.test(file) && to.test(target))
    .map(({ file, target }) => `${file} -> ${target}`);

/** A folder of ours that is neither this side's own nor common ground. */
const OURS_BUT = (own: string) => new RegExp(`^(?!${own}/|contract/|kit/)(${folders.join('|')})/`);

describe('the layers (ARCHITECTURE.md)', () => {
  it('sees the imports at all', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(between(/^client\//, /^contract\//)).not.toEqual([]);
    expect(between(/^service\//, /^contract\//)).not.toEqual([]);
  });

  it('client and service meet only in contract and kit', () => {
    expect(between(/^client\//, OURS_BUT('client'))).toEqual([]);
    expect(between(/^service\//, OURS_BUT('service'))).toEqual([]);
  });

  it('contract and kit stand on nothing of ours but kit', () => {
    expect(
      between(/^contract\//, /^(?!contract\/|kit\/)(cli|client|commands|import|listen|profiles|service)\//),
    ).toEqual([]);
    expect(
      between(/^kit\//, /^(?!kit\/)(cli|client|commands|contract|import|listen|profiles|service)\//),
    ).toEqual([]);
  });

  it('the domain sees no IO, no clock and no wire type', () => {
    expect(between(/^service\/domain\//, /^(?!service\/domain\/|kit\/)/)).toEqual([]);
    expect(between(/^service\/domain\//, /^kit\/(clock|id|private-file|file-lock)/)).toEqual([]);
    for (const file of files.filter((name) => name.startsWith('service/domain/'))) {
      const code = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code, file).not.toMatch(
        /\bDate\.now\(|new Date\(\)|\bprocess\.|Math\.random\(|setTimeout\(|\bfetch\(/,
      );
    }
  });

  it('commands reach the service only through serve, local and data', () => {
    const allowed =
      /^(commands\/(serve|data)|data\/|serve-exec\/|cli\/(connect|database|local|serve-options))/;
    expect(between(/^(?!service\/)/, /^service\//).filter((edge) => !allowed.test(edge))).toEqual([]);
  });
});
