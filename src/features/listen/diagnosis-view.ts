import { bold, type Text } from '../../cli/terminal/text.ts';
import { wrap } from '../../kit/wrap.ts';
import { findings, fixLines } from './report-view.ts';
import type { Diagnosis } from './signature-diagnosis/diagnose.ts';

/** A diagnosis with the lines that mend it. `columns` is the width of the terminal; undefined in a pipe. */
export function diagnosisText(diagnosis: Diagnosis, columns: number | undefined): Text {
  const blocks = findings(diagnosis).map(({ name, summary, fix }): Text => {
    const lines = fix ? fixLines({ fix }).map((line) => `\n  ${line}`) : [];
    const words = wrap(`${name}: ${summary}`, columns, '').join('\n');
    return [bold(name), words.slice(name.length), ...lines];
  });
  return blocks.flatMap((block, i) => (i === 0 ? [block] : ['\n', block]));
}
