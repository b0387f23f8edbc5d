import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_TTL_MS } from '../contract/limits.ts';
import { differences, type ImportName, optionsText } from './identity.ts';
import type { Inputs } from './inputs.ts';
import type { Doubt, Journal, JournalState } from './journal.ts';
import type { ImportOptions, ImportWorld } from './options.ts';

/** The import cannot begin: an earlier run of it is unfinished, or does not fit. */
export class ImportRefused extends Error {
  readonly reason: 'unfinished' | 'changed' | 'options';

  constructor(reason: ImportRefused['reason'], message: string) {
    super(message);
    this.name = 'ImportRefused';
    this.reason = reason;
  }
}

/** Decides between a new import and going on with one, as the flags say. Throws ImportRefused. */
export function begin(
  journal: Journal,
  inputs: Inputs,
  options: ImportOptions,
  world: ImportWorld,
): JournalState {
  const { mode, name, shaping } = options;
  const text = optionsText(name, shaping, options.format);
  const prints = JSON.stringify(inputs.looked.map(({ fingerprint }) => fingerprint));
  const known = journal.state();
  const touched = known !== undefined && journal.touched;
  if (known && touched && mode === 'fresh' && !known.finished)
    throw new ImportRefused('unfinished', 'an earlier import of this input is unfinished');
  if (known && touched && mode === 'resume') {
    const differs = differences(known.options, text);
    if (differs.length > 0)
      throw new ImportRefused(
        'options',
        `the unfinished import was started with another ${differs.join(', ')}`,
      );
    if (known.inputs !== prints)
      throw new ImportRefused('changed', 'the input changed since the import that --resume would go on with');
    for (const doubt of journal.doubtsBefore(world.clock.now() - IDEMPOTENCY_TTL_MS))
      world.onNotice(doubtText(doubt, name));
    return known;
  }
  const state = { id: randomUUID(), options: text, inputs: prints, rejectsPath: options.rejects };
  journal.begin(state);
  return { ...state, finished: false, rejectsLength: 0 };
}

function doubtText(doubt: Doubt, name: ImportName): string {
  const { file, firstLine, lastLine, records, sentAt } = doubt;
  return (
    `${name.inputs[file]}: lines ${firstLine} to ${lastLine} (${records} records) are in doubt since ` +
    `${new Date(sentAt).toISOString()}, over 24 hours: the service may have forgotten their key, so sending them ` +
    'again may store them twice'
  );
}
