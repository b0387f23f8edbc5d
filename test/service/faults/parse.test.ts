import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFaults } from '../../../src/service/faults/parse.ts';
import { faultsJsonSchema } from '../../../src/service/faults/schema.ts';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

describe('a faults file', () => {
  it('is valid as in docs/fault-injection.md, which documents every fault', () => {
    const page = readFileSync(join(ROOT, 'docs', 'fault-injection.md'), 'utf8');
    const file = join(tempDir(), 'faults.json');
    writeFileSync(file, /<<'END'\n([\s\S]*?)END\n/.exec(page)![1]!);
    expect(readFaults(file).requests).toHaveLength(3);
    const { properties } = faultsJsonSchema() as unknown as Record<
      string,
      Record<string, { items: { properties: { fault: { enum: string[]; description: string } } } }>
    >;
    for (const kind of ['requests', 'deliveries'])
      for (const fault of properties![kind]!.items.properties.fault.enum) {
        expect(page).toContain(`| \`${fault}\` |`);
        expect(properties![kind]!.items.properties.fault.description).toContain(`${fault}: `);
      }
  });

  it.each([
    ['{', /is not JSON/],
    ['{}', /seed is missing/],
    ['{"seed": 1, "requests": [{"fault": "explode"}]}', /requests\.0\.fault must be one of refuse, /],
    [
      '{"seed": 1, "requests": [{"fault": "fail", "status": 404}]}',
      /requests\.0\.status must be at least 500/,
    ],
    [
      '{"seed": 1, "requests": [{"fault": "fail", "from": 3, "to": 2}]}',
      /requests\.0\.to must not end before it starts/,
    ],
    [
      '{"seed": 1, "deliveries": [{"fault": "late", "color": 1}]}',
      /deliveries\.0\.color is not a known field/,
    ],
  ])('is refused: %s', async (text, why) => {
    const file = join(tempDir(), 'faults.json');
    writeFileSync(file, text);
    expect(() => readFaults(file)).toThrow(why);
    const run = await runSvc(['serve', '--port', '0', '--faults', file]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/next: correct that \(docs\/fault-injection\.md/);
  });

  it('is an error if it does not exist', async () => {
    expect((await runSvc(['serve', '--port', '0', '--faults', '/nowhere.json'])).code).toBe(2);
  });
});
