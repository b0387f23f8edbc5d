/** The row of a walk in ARCHITECTURE.md. */
export const rowOf = (text: string, name: string): string =>
  text.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? `| ${name} | 0 | |`;

/** Returns the files that a row lists, such as `http/{app,body}.ts`, sorted. */
export function filesIn(row: string): string[] {
  const spans = [...row.matchAll(/`([\w/-]*?)(?:\{([\w,/-]+)\}|([\w-]+))\.ts`/g)];
  return spans
    .flatMap(([, folder, group, one]) => (group ?? one!).split(',').map((name) => `${folder}${name}.ts`))
    .sort();
}
