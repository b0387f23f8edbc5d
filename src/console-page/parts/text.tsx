import type { VNode } from 'preact';
import { escapeCharacter, escapeCodeUnit, UNSAFE } from '../../kit/unsafe-characters.ts';
import { remember } from '../data/find-user.ts';

/** Longest text that is shown whole; the rest is counted. */
const LONGEST = 2000;

/** Text from outside: control, invisible and bidirectional characters are shown by their escapes, and stand out. */
export function Text({ of }: { of: string }): VNode {
  return <bdi>{piecesOf(of)}</bdi>;
}

function piecesOf(of: string): (string | VNode)[] {
  const text = of.length > LONGEST ? of.slice(0, LONGEST) : of;
  const parts: (string | VNode)[] = [];
  let from = 0;
  for (const { 0: char, index } of text.matchAll(UNSAFE)) {
    parts.push(text.slice(from, index));
    parts.push(<span class="unsafe">{escapeCharacter(char)}</span>);
    from = index + char.length;
  }
  parts.push(text.slice(from));
  if (text !== of) parts.push(<span class="unsafe">… and {of.length - LONGEST} more characters</span>);
  return parts;
}

/** Text from outside for an attribute such as a label, with escapes in place of the same characters. */
export const cleaned = (text: string): string => text.slice(0, LONGEST).replace(UNSAFE, escapeCharacter);

/** Indented JSON, in which characters that are not shown stand as escapes, so that what is copied can be read. */
export const escapedJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSAFE, (char) =>
    Array.from({ length: char.length }, (_, i) => escapeCodeUnit(char.charCodeAt(i))).join(''),
  );

/** An identifier in fixed width. `short` shows its beginning, of 12 characters or as many as it says; all of it is in the title. */
export function Id({ of, short = false }: { of: string; short?: boolean | number }): VNode {
  const length = short === true ? 12 : short === false ? of.length : short;
  const cut = of.length > length + 2;
  if (cut) remember(of);
  return (
    <code class="id" title={cut ? cleaned(of) : undefined}>
      <Text of={cut ? `${of.slice(0, length)}…` : of} />
    </code>
  );
}

/**
 * A name, or a `long` sentence, on one line: what does not fit is cut, and whole in the title. Of Arabic or Hebrew, its
 * beginning is at the right.
 */
export function Cut({ of, long = false }: { of: string; long?: boolean }): VNode {
  return (
    <bdi class={long ? 'cut long' : 'cut'} title={cleaned(of)}>
      {piecesOf(of)}
    </bdi>
  );
}

/** The longest end of an address that is never cut. */
const LONGEST_END = 16;

/** An address on one line: where it does not fit, it is cut before the end of its path, which tells two of a host apart. */
export function Address({ of }: { of: string }): VNode {
  const end = Math.max(of.lastIndexOf('/'), of.length - LONGEST_END);
  return (
    <bdi class="address" title={cleaned(of)}>
      <span class="cut">{piecesOf(of.slice(0, end))}</span>
      {piecesOf(of.slice(end))}
    </bdi>
  );
}
