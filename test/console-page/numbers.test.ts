import { expect, test } from 'vitest';
import { percent, score } from '../../src/console-page/parts/numbers.ts';

test.each([
  [0, '0.000'],
  [0.3517, '0.352'],
  [0.00042, '0.00042'],
  [-0.0005, '-0.00050'],
  [1e-9, '0.000'],
])('%s is shown as the score %s: small ones differ too', (n, words) => {
  expect(score(n)).toBe(words);
});

test('large shares have separators too', () => {
  expect(percent(21.04)).toBe('2,104 %');
});
