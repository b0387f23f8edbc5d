import { expect, it } from 'vitest';
import { screenToSvg } from '../../scripts/terminal-svg.js';

const ESC = String.fromCharCode(27);
const draw = (screen: string) =>
  [
    ...screenToSvg(screen, { columns: 40, title: 'a "title"' }).matchAll(
      /<text x="([\d.]+)" y="(\d+)"[^>]*?(?: class="([^"]*)")? xml:space="preserve">([^<]*)<\/text>/g,
    ),
  ].map(([, x, y, style, text]) => ({ x: Number(x), y: Number(y), style: style ?? '', text }));

it('draws each style in its place, also one that continues on the next line', () => {
  const drawn = draw(`plain ${ESC}[1;32mbold\ngreen${ESC}[0m & <plain>${ESC}[2mdim${ESC}[22mnot`);
  expect(drawn.map(({ style, text }) => [style, text])).toEqual([
    ['', 'plain '],
    ['bold green', 'bold'],
    ['bold green', 'green'],
    ['', ' &amp; &lt;plain>'],
    ['dim', 'dim'],
    ['', 'not'],
  ]);
  const [plain, bold, green] = drawn;
  expect(bold!.x).toBeGreaterThan(plain!.x);
  expect([green!.x, green!.y > bold!.y]).toEqual([plain!.x, true]);
});

it('is well-formed and has a label', () => {
  const svg = screenToSvg('x', { columns: 10, title: 'a "title" & more' });
  expect(svg).toContain('aria-label="a &quot;title&quot; &amp; more in a terminal"');
  expect(svg.match(/<(\w+)[^>]*[^/]>/g)!.length).toBe(svg.match(/<\/\w+>/g)!.length);
});
