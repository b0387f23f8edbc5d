import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOW } from '../../vitest.quick.config.ts';
import { ROOT } from '../support/process/run-svc.ts';

it('every slow file that test:quick leaves out exists under that path', () => {
  expect(SLOW.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(new Set(SLOW).size).toBe(SLOW.length);
});
