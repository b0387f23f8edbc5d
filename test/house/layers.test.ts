import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';

const SRC = join(ROOT, 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file));

interface Import {
  readonly file: string;
  /** A path below src, or the name of a package. */
  readonly target: string;
}

/** Every import of the source, type-only ones included. */
const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const specifiers = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g,
  );
  return [...specifiers].map(([, atOnce, lazily]) => {
    const specifier = (atOnce ?? lazily)!;
    const target = specifier.startsWith('.')
      ? relative(SRC, resolve(SRC, dirname(file), specifier)).replaceAll('\\', '/')
      : specifier;
    return { file, target };
  });
});

const between = (from: RegExp, to: RegExp) =>
  imports
    .filter(({ file, target }) => from.test(file) && to.test(target))
    .map(({ file, target }) => `${file} -> ${target}`);

/** Matches paths in src outside the named folders. */
const OUTSIDE = (...folders: string[]) => {
  const ours = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const others = ours.map(({ name }) => name).filter((name) => !folders.includes(name));
  return new RegExp(`^(${others.join('|')})/`);
};

/** Returns groups of names that import each other in a cycle. */
function cycles(edges: Iterable<readonly [from: string, to: string]>): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reachable = (start: string) => {
    const seen = new Set<string>();
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const to of next.get(at) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          open.push(to);
        }
    return seen;
  };
  const reach = new Map([...next.keys()].map((name) => [name, reachable(name)]));
  const found = new Set<string>();
  for (const [name, seen] of reach)
    if (seen.has(name))
      found.add(
        [...seen]
          .filter((other) => reach.get(other)?.has(name))
          .sort()
          .join(' '),
      );
  return [...found].map((group) => group.split(' '));
}

/** Returns, for each folder, the imports between its own files and folders: paths are cut below the common folder. */
function siblings(): Map<string, [string, string][]> {
  const levels = new Map<string, [string, string][]>();
  for (const { file, target } of imports) {
    if (!files.includes(target)) continue;
    const [from, to] = [file.split('/'), target.split('/')];
    const depth = from.findIndex((part, i) => part !== to[i]);
    const folder = from.slice(0, depth).join('/');
    levels.set(folder, [...(levels.get(folder) ?? []), [from[depth]!, to[depth]!]]);
  }
  return levels;
}

describe('the layers (ARCHITECTURE.md)', () => {
  it('finds the imports', () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(between(/^client\//, /^contract\//)).not.toEqual([]);
    expect(between(/^service\//, /^contract\//)).not.toEqual([]);
  });

  it('finds a cycle', () => {
    const edges: [string, string][] = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['c', 'd'],
    ];
    expect(cycles(edges)).toEqual([['a', 'b', 'c']]);
    expect(cycles(edges.slice(1))).toEqual([]);
  });

  it('no files import each other in a cycle', () => {
    expect(cycles(imports.map(({ file, target }) => [file, target]))).toEqual([]);
  });

  it('no sibling folders import each other in a cycle, at any depth', () => {
    const found = [...siblings()].map(([folder, edges]) => [folder, cycles(edges)] as const);
    expect(found.filter(([, groups]) => groups.length > 0)).toEqual([]);
  });

  it('no folder holds more than 30 files', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    const sizes = new Map<string, number>();
    for (const file of tracked) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 30)).toEqual([]);
  });

  it('client and service meet only in contract and kit', () => {
    expect(between(/^client\//, OUTSIDE('client', 'contract', 'kit'))).toEqual([]);
    expect(between(/^service\//, OUTSIDE('service', 'contract', 'kit'))).toEqual([]);
  });

  it('contract depends only on kit, and kit on no other room', () => {
    expect(between(/^contract\//, OUTSIDE('contract', 'kit'))).toEqual([]);
    expect(between(/^kit\//, OUTSIDE('kit'))).toEqual([]);
  });

  it('the page of the console sees only contract, kit and the parser of event streams', () => {
    expect(between(/^console-page\//, OUTSIDE('console-page', 'contract', 'kit'))).toEqual([
      'console-page/data/stream.ts -> client/sse.ts',
    ]);
    expect(between(/^(?!console-page\/)/, /^console-page\//)).toEqual([]);
    const modules = between(/^console-page\//, /^(?!console-page\/|contract\/|kit\/|client\/)/);
    // Its forms are made from the published schema of the catalog.
    const schema = 'console-page/views/catalog/schema.ts -> ../docs/catalog.schema.json';
    expect(modules).toContain(schema);
    const others = modules.filter((edge) => edge !== schema);
    const packages = new Set(others.map((edge) => edge.split(' -> ')[1]!.split('/')[0]));
    expect([...packages].sort()).toEqual(['@preact', 'preact', 'preact-iso']);
  });

  /** The service from top to bottom: a folder imports only from the levels below its own (ARCHITECTURE.md). */
  const LEVELS = [
    ['start.ts'],
    ['running-service.ts', 'features.ts', 'optional-parts.ts'],
    ['admin', 'clock', 'timeline', 'overview', 'erasure', 'retention'],
    ['decisions', 'notifications'],
    ['users', 'webhooks', 'events'],
    ['catalog'],
    ['faults', 'telemetry', 'copy', 'export'],
    ['http'],
    ['platform'],
  ];
  const levelOf = (path: string) => LEVELS.findIndex((names) => names.includes(path.split('/')[1]!));

  it('the service imports downwards only, and no feature one beside it', () => {
    const inside = imports.filter(({ file, target }) => /^service\//.test(file) && /^service\//.test(target));
    expect(inside.length).toBeGreaterThan(500);
    for (const { file } of inside) expect(levelOf(file), file).not.toBe(-1);
    const folder = (path: string) => path.split('/')[1];
    const upwards = inside
      .filter(({ file, target }) => folder(file) !== folder(target) && levelOf(file) >= levelOf(target))
      .map(({ file, target }) => `${file} -> ${target}`);
    expect(upwards).toEqual([]);
  });

  it('rules and the engine use no I/O, no clock and no wire type', () => {
    const PURE =
      /^service\/(decisions\/engine|decisions\/goals\/rules|notifications\/rules|webhooks\/rules)\//;
    expect(files.filter((file) => PURE.test(file)).length).toBeGreaterThan(25);
    // Of the folders below: the types and rules of the catalog and of users.
    const below = /^service\/(catalog\/|users\/(consent|contact-day)\.ts)/;
    const found = imports
      .filter(({ file, target }) => PURE.test(file) && !PURE.test(target) && !below.test(target))
      .map(({ target }) => target);
    expect(found.filter((target) => !/^kit\/(?!clock|id|files)/.test(target))).toEqual([]);
    for (const file of files.filter((name) => PURE.test(name))) {
      const code = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code, file).not.toMatch(
        /\bDate\.now\(|new Date\(\)|\bprocess\.|Math\.random\(|setTimeout\(|\bfetch\(/,
      );
    }
  });

  /** The import from top to bottom: what imports a folder to the right of its own is listed (ARCHITECTURE.md). */
  const IMPORT: Readonly<Record<string, readonly string[]>> = {
    run: ['report', 'option-table', 'guess', 'mapping', 'formats', 'input', 'deliver', 'record'],
    report: ['option-table', 'guess', 'mapping', 'formats', 'input', 'deliver', 'record'],
    'mapping-file': ['option-table', 'formats', 'record'],
    'option-table': ['guess', 'mapping', 'formats', 'input', 'record'],
    guess: ['mapping', 'formats', 'input', 'record'],
    mapping: ['formats', 'input', 'record'],
    formats: ['input', 'record'],
    download: ['input'],
    input: ['record'],
    deliver: ['record'],
    record: [],
  };

  it('the import reads, maps and delivers in folders that see only those below', () => {
    const inside = imports.filter(
      ({ file, target }) => /^features\/import\/.*\//.test(file) && /^features\/import\//.test(target),
    );
    expect(inside.length).toBeGreaterThan(200);
    const folder = (path: string) => path.split('/')[2]!;
    const upwards = inside
      .filter(({ file, target }) => folder(file) !== folder(target))
      .filter(({ file, target }) => !IMPORT[folder(file)]?.includes(folder(target)))
      .map(({ file, target }) => `${file} -> ${target}`);
    expect(upwards).toEqual([]);
  });

  it('only the rooms that run the service or own its data import it', () => {
    const rooms =
      /^(commands\/(serve|data)|features\/(serve|data|accounts|users|catalog|console-server)|cli\/connection)\b/;
    expect(between(/^(?!service\/)/, /^service\//).filter((edge) => !rooms.test(edge))).toEqual([]);
  });

  it('only the service imports its stores', () => {
    expect(between(/^(?!service\/)/, /^service\/(.*\/)?store(\.ts|\/(?!retained-logs))/)).toEqual([]);
    expect(between(/^service\/admin\//, /^service\/platform\/store\//)).not.toEqual([]);
  });

  it('only the generated list imports commands', () => {
    expect(between(/^(?!program\/commands\.gen\.ts)/, /^commands\//)).toEqual([]);
  });
});
