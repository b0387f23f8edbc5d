import type { Page } from 'playwright-core';

/** Waits until the page has drawn what it knows. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');

/**
 * What is wrong with how the page is laid out, in words: it or a table of it is wider than its place, a text reaches out of
 * its box, or two texts lie on each other. What follows a new size of the window is drawn first.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  await drawn(page);
  return page.evaluate(FIND);
}

/** Runs in the page. A pixel more or less comes from rounding. */
const FIND = `(() => {
  const found = [];
  const name = (e) => (e.tagName.toLowerCase() + '.' + e.className + ' "' + e.textContent.trim().slice(0, 40) + '"');
  const excess = document.documentElement.scrollWidth - innerWidth;
  if (excess > 0) found.push('the page is ' + excess + ' px too wide');
  for (const table of document.querySelectorAll('.table'))
    if (table.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && table.scrollWidth > table.clientWidth + 1)
      found.push('a table is ' + (table.scrollWidth - table.clientWidth) + ' px too wide: ' + name(table));
  const clips = (e) => getComputedStyle(e).overflowX !== 'visible';
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector('#console'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.data.trim() === '' || !parent.checkVisibility({ visibilityProperty: true })) continue;
    if (parent.closest('.visually-hidden, .skip, select, textarea, canvas')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      let { left, right, top, bottom } = rect;
      // What an element around it cuts off is not seen; what its box does not cut off is.
      for (let e = parent; e !== null; e = e.parentElement) {
        const box = e.getBoundingClientRect();
        if (clips(e)) {
          left = Math.max(left, box.left);
          right = Math.min(right, box.right);
          top = Math.max(top, box.top);
          bottom = Math.min(bottom, box.bottom);
        } else if (e.matches('.box, .card, .state, .command, td, th, button, dialog') && right > left)
          if (right > box.right + 1 || left < box.left - 1) found.push('a text reaches out of its box: ' + name(e));
      }
      if (right - left > 1 && bottom - top > 1) texts.push({ parent, left, right, top, bottom });
    }
  }
  for (const parent of document.querySelectorAll('button.icon-only')) {
    const { left, right, top, bottom } = parent.getBoundingClientRect();
    if (right > left) texts.push({ parent, left, right, top, bottom });
  }
  // What lies over the rest on purpose.
  const over = '.panel, dialog, .draft-bar';
  texts.sort((a, b) => a.top - b.top);
  for (const [i, a] of texts.entries())
    for (const b of texts.slice(i + 1)) {
      if (b.top > a.bottom) break;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 4 && a.parent !== b.parent && !a.parent.closest(over) === !b.parent.closest(over))
        found.push('two texts lie on each other: ' + name(a.parent) + ' and ' + name(b.parent));
    }
  return [...new Set(found)].slice(0, 12);
})()`;
