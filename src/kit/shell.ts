/** Characters that a terminal does not show or the sanitizer escapes. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

/**
 * Quotes a word for a shell: not at all if nothing in it is special, else in single quotes, or in the escapes of bash, zsh
 * and ksh (`$'\x1b'`) if it contains invisible characters.
 */
export function shellWord(word: string): string {
  // A leading `=` needs quotes: zsh expands `=word` to the path of a command.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (word.search(INVISIBLE) < 0) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/[\\']/g, '\\$&').replace(INVISIBLE, asBytes)}'`;
}

/** Quotes a path so that no program reads it as a flag. */
export function shellPath(path: string): string {
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}

/** Joins words to a command line that can be pasted into a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/**
 * Template tag that quotes each interpolated word: shell`svc webhooks delete ${id}`. A word that would be read as a flag
 * is preceded by `--`.
 */
export function shell(parts: TemplateStringsArray, ...words: readonly string[]): string {
  return parts.reduce((line, part, index) => {
    const word = words[index - 1] as string;
    const operand = word.startsWith('-') && /\s$/.test(line) ? '-- ' : '';
    return line + operand + shellWord(word) + part;
  });
}

function asBytes(char: string): string {
  return [...new TextEncoder().encode(char)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
    .join('');
}
