import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readManifest } from '../../src/cli/command/manifest.ts';
import { outputSchemas, schemaFile } from '../../src/outputs/json-schemas.ts';
import { OUTPUTS, WITHOUT_OUTPUT } from '../../src/outputs/outputs.ts';
import { checkOutput, outputErrors } from '../support/outputs/check-output.ts';
import { ROOT } from '../support/process/run-svc.ts';

it('every command has a schema of what it prints under --json, or a reason to have none', () => {
  const commands = readManifest(ROOT).commands.map(({ id }) => id);
  const described = [...Object.keys(OUTPUTS), ...Object.keys(WITHOUT_OUTPUT)];
  expect(described.filter((id) => !['error', 'version'].includes(id)).sort()).toEqual(commands.sort());
});

it('the schemas describe every field, and are open to new ones', () => {
  const missing: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, additionalProperties, ...rest } = value as Record<string, unknown>;
    if (additionalProperties === false) missing.push(`${path} is closed`);
    for (const [name, inner] of Object.entries((properties ?? {}) as Record<string, object>)) {
      if (!('description' in inner) && !('$ref' in inner)) missing.push(`${path}.${name}`);
      walk(inner, `${path}.${name}`);
    }
    for (const [name, inner] of Object.entries(rest)) walk(inner, `${path}/${name}`);
  };
  for (const [file, schema] of Object.entries(outputSchemas())) {
    expect(schema.description, file).toBeTruthy();
    walk(schema, file);
    const committed = JSON.parse(readFileSync(join(ROOT, 'docs', 'schemas', file), 'utf8')) as unknown;
    expect(committed, `${file} is stale: run \`npm run generate\``).toEqual(schema);
  }
  expect(missing).toEqual([]);
  const files = readdirSync(join(ROOT, 'docs', 'schemas'), { recursive: true, encoding: 'utf8' });
  const known = Object.keys(outputSchemas());
  expect(
    files
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.replaceAll('\\', '/'))
      .sort(),
  ).toEqual(known.sort());
});

it('finds output that is not as described', () => {
  expect(schemaFile('events:import')).toBe('events/import.schema.json');
  expect(outputErrors('profiles:use', { current: 'x' }, { strict: true })).toBe('');
  expect(outputErrors('profiles:use', { current: 1 })).toContain('/current must be string');
  expect(outputErrors('profiles:use', { current: 'x', more: 1 }, { strict: true })).toContain('additional');
  const run = { code: 0, stdout: '{"current":null}\n', stderr: '' };
  expect(() => checkOutput(['profiles', 'use', 'x', '--json'], {}, run)).toThrow(/profiles\/use.schema.json/);
  const failed = { code: 2, stdout: '', stderr: '{"error":{"code":"usage"}}\n' };
  expect(() => checkOutput(['profiles', 'use', '--json'], {}, failed)).toThrow(/error.schema.json/);
});
