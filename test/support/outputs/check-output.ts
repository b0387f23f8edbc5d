import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { outputSchemas, schemaFile } from '../../../src/outputs/json-schemas.ts';
import { OUTPUTS, WITHOUT_OUTPUT } from '../../../src/outputs/outputs.ts';

/** Addresses of the services of this project that run in this process: what they answer is as described. */
export const OWN_SERVICES = new Set<string>();

/** Commands that print no answer of a service. */
const WITHOUT_SERVICE =
  /^(version|data|demo|profiles|serve|webhooks:(listen|replay|send|sign|test|verify))\b/;

/** Lines that are checked of an output. */
const MAX_LINES = 50;

const compiled = new Map<string, ValidateFunction>();

/** Returns the errors of a value, each in a line. With `strict`, a field that is not described is an error. */
export function outputErrors(id: string, value: unknown, { strict = false } = {}): string {
  const key = `${id} ${strict}`;
  let validate = compiled.get(key);
  if (!validate) {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    const schema = outputSchemas()[schemaFile(id)];
    if (!schema) throw new Error(`${id} has no schema of its output`);
    validate = ajv.compile((strict ? closed(schema) : schema) as object);
    compiled.set(key, validate);
  }
  if (validate(value)) return '';
  return (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('\n');
}

/** Closes all objects that name their fields and are not open by intent. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const names = object.type === 'object' && object.properties && !('additionalProperties' in object);
  return names ? { ...object, additionalProperties: false } : object;
}

/** The id of the command of a command line, as in OUTPUTS; undefined if it has none. */
export function outputOf(argv: readonly string[]): string | undefined {
  if (argv[0] === '--version') return 'version';
  if (argv[0] === 'notify') return 'notifications:trigger';
  const end = argv.findIndex((word) => word.startsWith('-'));
  for (let depth = end === -1 ? argv.length : end; depth > 0; depth--) {
    const id = argv.slice(0, depth).join(':');
    if (id in WITHOUT_OUTPUT) return undefined;
    if (id in OUTPUTS) return id;
  }
  return undefined;
}

/** Throws if what a command printed under `--json` is not as its schema says, or if `--quiet` printed more than errors. */
export function checkOutput(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
): void {
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const quiet = flags.includes('--quiet') || flags.includes('-q');
  const asked = ['--debug', '--show-limits', '--help'].some((flag) => flags.includes(flag));
  if (quiet && !asked && code === 0 && argv[0] !== 'serve' && stderr !== '')
    throw new Error(`svc ${argv.join(' ')} prints more than errors on stderr:\n${stderr}`);
  if (!argv.includes('--json') || argv.includes('--help') || argv.includes('help')) return;
  const failure = stderr.trim().split('\n').at(-1) ?? '';
  if (code !== 0 && failure.startsWith('{"error"')) {
    check('error', failure, argv);
    if (/[\n\r]/.test(JSON.parse(failure).error.hint))
      throw new Error(`svc ${argv.join(' ')} prints a hint of several lines:\n${failure}`);
  }
  const id = outputOf(argv);
  // --fields leaves members out.
  if (id === undefined || id === 'api' || argv.includes('--fields')) return;
  const local = env.SVC_PROFILE === 'local' || /(-p|--profile)[ =]local\b/.test(argv.join(' '));
  const own = argv.includes('--base-url') ? false : OWN_SERVICES.has(env.SVC_BASE_URL ?? '') || local;
  if (!own && !WITHOUT_SERVICE.test(id)) return;
  // Some tests print thousands.
  const printed = stdout.split('\n').filter((line) => line !== '');
  for (const line of printed.slice(0, MAX_LINES)) check(id, line, argv);
}

function check(id: string, line: string, argv: readonly string[]): void {
  const errors = outputErrors(id, JSON.parse(line));
  if (errors !== '')
    throw new Error(
      `svc ${argv.join(' ')} prints what docs/schemas/${schemaFile(id)} forbids:\n${line}\n${errors}`,
    );
}
