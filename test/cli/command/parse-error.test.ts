import { describe, expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';

describe('an invalid command line', () => {
  it.each([
    ['decide --hsh-id x', '`svc decide` has no flag --hsh-id', 'did you mean --hash-id?'],
    ['decide --jsn', '`svc decide` has no flag --jsn', 'did you mean --json?'],
    ['decide --zzzzzzzzz', '`svc decide` has no flag --zzzzzzzzz', 'see `svc decide --help`'],
    ['decide -z', '`svc decide` has no flag -z', 'see `svc decide --help`'],
    ['profiles use', 'NAME is missing: name of the profile', 'see `svc profiles use --help`'],
    ['decisions get ', 'ID is empty: identifier of the decision', 'see `svc decisions get --help`'],
    ['profiles use a b', 'unexpected argument: b', 'see `svc profiles use --help`'],
    ['events send --user-id u', '--event is missing', 'see `svc events send --help`'],
    [
      'events import --format xml',
      '--format must be one of ndjson, csv, json, parquet, not xml',
      'see `svc events import --help`',
    ],
    [
      'events import a.csv --time-zone Europe/Berlin -- -x',
      '--time-zone needs --convert-timestamps or --timestamp-format',
      'svc events import a.csv --time-zone Europe/Berlin --convert-timestamps -- -x',
    ],
    ['serve --port', '--port needs a value', 'see `svc serve --help`'],
    ['serve --port http', '--port: a whole number is needed, not http', 'see `svc serve --help`'],
    [
      'serve --port 99999',
      '--port: a number of at most 65535 is needed, not 99999',
      'see `svc serve --help`',
    ],
    ['webhooks tset', 'unknown command: svc webhooks tset', 'did you mean `svc webhooks test`?'],
    ['decide --jsno', '`svc decide` has no flag --jsno', 'did you mean --json?'],
    ['decid', 'unknown command: svc decid', 'did you mean `svc decide`?'],
    ['serve exec ls', 'unexpected argument: ls', 'svc serve exec -- ls'],
    ["decide it's", "unexpected argument: it's", "svc decide --hash-id 'it'\\''s'"],
    ['profiles rm', 'unknown command: svc profiles rm', 'did you mean `svc profiles remove`?'],
    ['webhooks ls', 'unknown command: svc webhooks ls', 'did you mean `svc webhooks list`?'],
    ['import a.csv', 'unknown command: svc import', 'did you mean `svc events import`?'],
    ['events:import', 'unknown command: svc events:import', 'did you mean `svc events import`?'],
    ['--versoin', '--versoin must follow a command', 'did you mean svc --version?'],
    ['decide --prof x', '`svc decide` has no flag --prof', 'did you mean --profile?'],
    ['events nope', 'unknown command: svc events nope', 'see `svc events --help`'],
  ])('svc %s', async (line, message, hint) => {
    const run = await runSvc(line.split(' '));
    expect(run).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n  next: ${hint}\n` });
  });

  it('does not print a value that may be a secret', async () => {
    const run = await runSvc(['decide', '--api-key=sk_live_0123456789']);
    expect(run.stderr).toContain('has no flag --api-key\n');
    expect(run.stderr).not.toContain('sk_live');
  });
});
