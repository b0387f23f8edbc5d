import type { Sample } from '../formats/sample.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { recordMappers } from '../mapping/record-mappers.ts';
import { Reasons } from '../record/reasons.ts';
import type { ValidationError } from '../record/validation-errors.ts';

/** What an import would make of the records of samples. */
export interface SampleCheck {
  readonly records: number;
  readonly rejected: number;
  readonly reasons: Reasons;
  /** The first reason for each field, as examples. */
  readonly examples: ReadonlyMap<string, string>;
}

/** Maps and validates the records of samples as an import would. Throws InputError where it would refuse a header. */
export function checkSamples(samples: readonly Sample[], mapping: Mapping): SampleCheck {
  const reasons = new Reasons();
  const examples = new Map<string, string>();
  let rejected = 0;
  let records = 0;
  const reject = (error: ValidationError) => {
    rejected++;
    const { field, reason, fixableBy, violations } = error;
    reasons.add([{ file: '', line: 0, offset: 0, raw: '', field, reason, fixableBy, violations }]);
    if (!examples.has(field) && examples.size < 10) examples.set(field, reason);
  };
  for (const sample of samples) {
    const { header, rows, texts, input } = sample;
    records += sample.records;
    for (let i = rows.length + texts.length; i < sample.records; i++)
      reject({ field: 'record', reason: 'cannot be read' });
    const mappers = recordMappers(mapping)();
    const table = header && mappers.rows(header, input.name);
    for (const row of rows) {
      const made = table!.record([...row]);
      if ('field' in made) reject(made);
    }
    for (const text of texts) {
      const made = mappers.json(text);
      if ('field' in made) reject(made);
    }
  }
  return { records, rejected, reasons, examples };
}

/** Most records of the sample would be rejected: nothing was sent, and no journal was begun. */
export class PreflightFailed extends Error {
  readonly samples: readonly Sample[];
  readonly check: SampleCheck;

  constructor(samples: readonly Sample[], check: SampleCheck) {
    super(`${check.rejected} of the first ${check.records} records would be rejected`);
    this.name = 'PreflightFailed';
    this.samples = samples;
    this.check = check;
  }
}
