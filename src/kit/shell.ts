/** What a terminal does not show as it is, or the sanitiser spells out: a word that holds it is written in escapes. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

/**
 * A word as a shell reads it back: bare where nothing in it is special, else in single quotes, and as bash, zsh and ksh
 * read escapes (`$'\x1b'`) where it holds what cannot be seen.
 */
export function shellWord(word: string): string {
  // Not `=` in front: zsh looks such a word up as a command.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (word.search(UNSEEN) < 0) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/[\\']/g, '\\$&').replace(UNSEEN, asBytes)}'`;
}

/** A path as a word that no program takes for a flag. */
export function shellPath(path: string): string {
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}

/** Words as a command line that can be pasted into a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/**
 * A command in a sentence, each word that is put in quoted: shell`svc webhooks delete ${id}`. A word that would be read
 * as a flag stands behind `--`.
 */
export function shell(parts: TemplateStringsArray, ...words: readonly string[]): string {
  return parts.reduce((line, part, index) => {
    const word = words[index - 1] as string;
    const operand = word.startsWith('-') && /\s$/.test(line) ? '-- ' : '';
    return line + operand + shellWord(word) + part;
  });
}

function asBytes(char: string): string {
  return [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
