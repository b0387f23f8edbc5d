/** A flag of the suggested command. */
export type Flag = readonly [name: string, value?: string];

/** The words of flags. */
export function wordsOfFlags(flags: readonly Flag[]): string[] {
  return flags.flatMap(([name, value]) => (value === undefined ? [`--${name}`] : [`--${name}`, value]));
}
