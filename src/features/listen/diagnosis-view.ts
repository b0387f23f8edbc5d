import { bold, type Text } from '../../cli/terminal/text.ts';
import { wrap } from '../../kit/wrap.ts';
import type { Diagnosis, Finding } from './signature-diagnosis/diagnose.ts';
import type { MistakeName } from './signature-diagnosis/mistakes.ts';

/**
 * Formats a diagnosis with its fixes.
 * @param columns width of the terminal; undefined in a pipe
 */
export function diagnosisText(diagnosis: Diagnosis, columns: number | undefined): Text {
  const blocks = findings(diagnosis).map(({ name, summary, fix }): Text => {
    const lines = fix ? fixLines({ fix }).map((line) => `\n  ${line}`) : [];
    const words = wrap(`${name}: ${summary}`, columns, '').join('\n');
    return [bold(name), words.slice(name.length), ...lines];
  });
  return blocks.flatMap((block, i) => (i === 0 ? [block] : ['\n', block]));
}

/** Returns the code lines of a fix, one for each language. */
export function fixLines({ fix }: Pick<Finding, 'fix'>): string[] {
  return [`Node    ${fix.node}`, `Python  ${fix.python}`, `Go      ${fix.go}`];
}

/** Returns the findings of a diagnosis; the first one gives it its name. */
export function findings(
  diagnosis: Diagnosis,
): Array<{ name: MistakeName | 'unknown'; summary: string; fix?: Finding['fix'] }> {
  return [diagnosis, ...('also' in diagnosis ? (diagnosis.also ?? []) : [])];
}
