/** A word as a POSIX shell reads it back: bare where nothing in it is special, else in single quotes. */
export function shellWord(word: string): string {
  // Not `=` in front: zsh looks such a word up as a command.
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Words as a command line that can be pasted into a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
