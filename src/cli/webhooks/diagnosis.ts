import type { Diagnosis } from '../../listen/diagnose/diagnose.ts';
import { findings, fixLines } from '../../listen/render.ts';
import { bold, type Text } from '../render/text.ts';

/** A diagnosis with the lines that mend it. */
export function diagnosisText(diagnosis: Diagnosis): Text {
  const blocks = findings(diagnosis).map(({ name, summary, fix }): Text => {
    const lines = fix ? fixLines({ fix }).map((line) => `\n  ${line}`) : [];
    return [bold(name), `: ${summary}`, ...lines];
  });
  return blocks.flatMap((block, i) => (i === 0 ? [block] : ['\n', block]));
}
