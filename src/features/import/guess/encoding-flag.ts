import { PLACEHOLDERS } from '../record/placeholders.ts';
import { type Asked, flagText } from './ambiguity.ts';
import type { Findings } from './findings.ts';
import type { Flag } from './flag.ts';
import { encodingChoices, likelyEncodings } from './likely-encodings.ts';

/** A flag that the command needs, the one to go on with, and what is asked about it. */
export interface Needed {
  readonly shown: readonly Flag[];
  readonly used: readonly Flag[];
  readonly asked: readonly Asked[];
}

/** The flag for the encoding of text that is not UTF-8, of which `bytes` are a part. */
export function encodingFlag(bytes: Uint8Array): Needed {
  const likely = likelyEncodings(bytes);
  const used = likely.slice(0, 1).map(({ encoding }): Flag => ['encoding', encoding]);
  if (likely.length === 1) return { shown: used, used, asked: [] };
  const flag: Flag = ['encoding', PLACEHOLDERS.encoding];
  const choices = likely.map(({ encoding }) => encoding);
  return {
    shown: [flag],
    used,
    asked: [{ column: 'encoding', choices, flag, meaning: encodingChoices(likely) }],
  };
}

/** Adds the flags that were needed before to those that are suggested. */
export function withNeeded(findings: Findings, { shown, asked }: Needed): Findings {
  const { suggestion } = findings;
  const ambiguities = asked.map((one) => ({ ...one, flag: flagText(one.flag) }));
  return {
    ...findings,
    suggestion: {
      ...suggestion,
      flags: [...suggestion.flags, ...shown],
      ambiguities: [...suggestion.ambiguities, ...ambiguities],
    },
  };
}
