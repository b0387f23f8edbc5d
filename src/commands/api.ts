import { type Context, SvcCommand } from '../cli/command/command.ts';
import { SvcError } from '../cli/errors/svc-error.ts';
import { fieldsFlag } from '../cli/flags/list-flags.ts';
import { Args, Flags } from '../cli/flags/oclif.ts';
import { foreignJson, sanitizeLine } from '../cli/terminal/sanitize.ts';
import { OPERATION_FIELDS } from '../features/api/operation-fields.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export default class Api extends SvcCommand {
  static override summary = 'Send an authenticated request to any endpoint';
  static override description =
    `Prints the response body to stdout unchanged, for any status; on a terminal, control characters are escaped. Fields
become the JSON body, or the query of a GET: -f adds a string, and -F converts numbers, true, false and null, and reads
@FILE. a[b]=c nests, a[]=c appends. --list and --spec show what can be requested, without sending anything.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> GET /v1/webhooks',
    '<%= config.bin %> <%= command.id %> POST /v1/decisioning/decide -f hashId=H -f context[channel]=in-app -F guardrails[maxDailyContacts]=3',
    '<%= config.bin %> <%= command.id %> POST /v1/events --input batch.json -i',
    '<%= config.bin %> <%= command.id %> --list',
    '<%= config.bin %> <%= command.id %> --spec > openapi.json',
  ];
  static override args = {
    method: Args.string({ description: 'GET, POST, PATCH, DELETE, …' }),
    path: Args.string({ description: 'path below the base URL, such as /v1/webhooks' }),
  };
  static override flags = {
    'raw-field': Flags.string({ char: 'f', summary: 'string field', multiple: true, helpValue: 'K=V' }),
    field: Flags.string({ char: 'F', summary: 'typed field', multiple: true, helpValue: 'K=V' }),
    header: Flags.string({ char: 'H', summary: 'request header', multiple: true, helpValue: 'NAME: VALUE' }),
    input: Flags.string({ summary: 'file to send as the body; - is standard input', helpValue: 'FILE' }),
    list: Flags.boolean({ summary: 'list the operations of the service' }),
    fields: fieldsFlag(OPERATION_FIELDS, { dependsOn: ['list'] }),
    spec: Flags.boolean({ summary: 'print the OpenAPI document of the service, as GET /openapi.json does' }),
    include: Flags.boolean({ char: 'i', summary: 'print the status and the headers before the body' }),
  };

  protected override async run(context: Context<typeof Api>): Promise<void> {
    const { args, flags, out, signal, connect } = context;
    if (flags.list || flags.spec) return describe(context);
    const { method, path } = methodAndPath(args.method, args.path);
    const { bodyOf, headersOf, withQuery } = await import('../features/api/request.ts');
    const headers = headersOf(flags.header ?? []);
    const fields = [
      ...(flags['raw-field'] ?? []).map((text) => ({ text, typed: false })),
      ...(flags.field ?? []).map((text) => ({ text, typed: true })),
    ];
    const inQuery = method === 'GET' || method === 'HEAD' || flags.input !== undefined;
    const body = await bodyOf(context, { input: flags.input, fields: inQuery ? [] : fields });
    const { client, idempotent } = await connect();
    const { traitsOf } = await import('../client/endpoint-of.ts');
    const { randomUUID } = await import('node:crypto');
    const key: Record<string, string> =
      method === 'GET' || method === 'HEAD' ? {} : { 'idempotency-key': randomUUID() };
    const answer = await client.send({
      method,
      path: inQuery ? withQuery(path, fields) : path,
      headers: { ...key, ...headers },
      body,
      ...traitsOf(method, path, idempotent),
      signal,
    });
    if (flags.include && !out.json) {
      const head = [
        `HTTP/1.1 ${answer.status}`,
        ...Object.entries(answer.headers).map((pair) => pair.join(': ')),
      ];
      out.raw(`${head.map(sanitizeLine).join('\n')}\n\n`);
    }
    const text = Buffer.from(answer.body).toString('utf8');
    if (out.json) out.raw(`${foreignJson(text)}\n`);
    else if (out.isTerminal) out.line(text, () => text);
    else out.raw(answer.body);
    if (answer.status >= 200 && answer.status < 300) return;
    const { errorOf } = await import('../client/answers.ts');
    throw errorOf(answer);
  }
}

/** Shows what can be requested, from the description that this version was built with. */
async function describe({ args, flags, out }: Context<typeof Api>): Promise<void> {
  if (args.method !== undefined || (flags.list && flags.spec))
    throw new SvcError('usage', `--${flags.list ? 'list' : 'spec'} sends no request`, {
      hint: (invocation) =>
        `use it alone: ${invocation.onSameService('api', flags.list ? '--list' : '--spec')}`,
    });
  if (flags.spec) {
    const { openApiText } = await import('../contract/document.ts');
    return out.raw(openApiText);
  }
  const { operations } = await import('../features/api/operations.ts');
  const rows = operations();
  out.list({ key: 'operations', rows, fields: OPERATION_FIELDS, empty: 'no operations' }, flags.fields);
}

/** `svc api PATH` sends a GET, as in gh. */
function methodAndPath(
  first: string | undefined,
  second: string | undefined,
): { method: string; path: string } {
  if (first === undefined)
    throw new SvcError('usage', 'the path is missing', {
      hint: (invocation) => `list the paths: ${invocation.onSameService('api', '--list')}`,
    });
  const [method, path] =
    second === undefined && first.startsWith('/') ? ['GET', first] : [first.toUpperCase(), second];
  if (path === undefined || !METHODS.includes(method))
    throw new SvcError(
      'usage',
      path === undefined ? 'the path is missing' : `${first} is not an HTTP method`,
      {
        hint: (invocation) => `for example: ${invocation.onSameService('api', 'GET', '/v1/webhooks')}`,
      },
    );
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes('#'))
    throw new SvcError('usage', `${JSON.stringify(path)} is not a path below the base URL`, {
      hint: 'write a path such as /v1/webhooks, with special characters percent-encoded',
    });
  return { method, path };
}
