import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const ENGINE = readFileSync(require.resolve('accessibility-checker-engine'), 'utf8');

interface Result {
  readonly ruleId: string;
  readonly message: string;
  readonly snippet: string;
}

/** True for what a closed `details` hides, of which the engine sees the fields, and not their labels. */
const IS_CLOSED = `((path) => {
  const found = document.evaluate(path, document, null, 9, null).singleNodeValue;
  return found?.closest('details') && !found.checkVisibility();
})`;

/** The violations that the engine of IBM's Equal Access checker finds on the page, in words. */
export async function secondOpinion(page: Page): Promise<string[]> {
  await page.evaluate(`globalThis.ace ??= (() => { ${ENGINE}; return ace; })(); undefined`);
  const results: Result[] = await page.evaluate(
    `new ace.Checker()
    .check(document, ['IBM_Accessibility'])
    .then(({ results }) => results.filter(({ value: [kind, result], path }) =>
      kind === 'VIOLATION' && result === 'FAIL' && !isClosed(path.dom)))`.replace('isClosed', IS_CLOSED),
  );
  return results.map(({ ruleId, message, snippet }) => `${ruleId}: ${message} ${snippet.slice(0, 200)}`);
}
