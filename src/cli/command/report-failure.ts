import { toSvcError } from '../errors/to-svc-error.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { Output } from '../terminal/output.ts';
import { sanitizeJson, sanitizeLine } from '../terminal/sanitize.ts';
import { bold, red } from '../terminal/text.ts';
import type { World } from '../terminal/world.ts';

/** Prints an error with its hint on stderr, as JSON under --json. Returns the exit code. */
export function reportFailure(thrown: unknown, invocation: Invocation, world: World): number {
  const error = toSvcError(thrown, invocation.has('--debug'));
  const out = new Output(world, { json: invocation.has('--json'), quiet: false });
  if (out.json) out.info(sanitizeJson(error.toJson(invocation)));
  else
    out.info([
      red(bold('error: ')),
      // A line break in a file name or a response must not forge a line of svc. A trace keeps its own.
      error.code === 'unexpected' ? error.message : sanitizeLine(error.message),
      error.requestId ? ` [${sanitizeLine(error.requestId)}]` : '',
      '\n  next: ',
      error.hintFor(invocation).replace(/\n */g, '\n        '),
    ]);
  return error.exitCode;
}
