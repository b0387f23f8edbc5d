/** Makes TypeScript declarations from the schemas of the contract, for the library entries of the package. */
import type * as z from 'zod/mini';
import { ENDPOINTS, type Endpoint, paramsOf } from '../contract/endpoints.ts';
import { type Json, Schemas } from '../contract/openapi/schemas.ts';
import { DeliveryBody, ErrorDetail } from '../contract/schemas.ts';

const IMPORTS = "import type { CallOptions, StreamOptions } from './client.mjs';\n";
const HEAD = '// Made by `npm run generate` from src/contract.\n';

/** The declarations of the client: a type for each schema, and a method for each operation. */
export function operationTypes(): string {
  const schemas = new Schemas();
  schemas.of(ErrorDetail);
  const methods = Object.entries<Endpoint>(ENDPOINTS).map(([name, endpoint]) =>
    method(name, endpoint, schemas),
  );
  return [HEAD + IMPORTS, ...interfaces(schemas), 'export interface Operations {', ...methods, '}', ''].join(
    '\n',
  );
}

/** The declarations of a delivery's body. */
export function deliveryTypes(): string {
  const schemas = new Schemas();
  schemas.of(DeliveryBody);
  return [HEAD, ...interfaces(schemas)].join('\n');
}

function interfaces(schemas: Schemas): string[] {
  return Object.entries(schemas.all()).map(([name, schema]) => {
    const declared = schema as Json;
    const type = typeOf(declared, '');
    const text = declared.properties ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
    return `${comment(declared.description, '')}${text}\n`;
  });
}

/** The input of a method has the path parameters, the query and the body in one object, as their names do not clash. */
function method(name: string, endpoint: Endpoint, schemas: Schemas): string {
  const { path, description, query, request, answer, stream } = endpoint;
  const params = paramsOf(path).map((param) => `readonly ${param}: string`);
  const parts = [
    ...(params.length > 0 ? [`{ ${params.join('; ')} }`] : []),
    ...(query ? [typeOf(schemas.of(query), '  ')] : []),
    ...(request ? [typeOf(schemas.of(request), '  ')] : []),
  ];
  const optional = request === undefined && params.length === 0 && !isRequired(query, schemas);
  const input =
    parts.length === 0 ? 'input?: undefined' : `input${optional ? '?' : ''}: ${parts.join(' & ')}`;
  const type = answer ? typeOf(schemas.of(answer), '') : 'void';
  const result = stream
    ? `AsyncIterable<{ readonly id: string; readonly event: ${type} }>`
    : `Promise<${type}>`;
  return `${comment(`${endpoint.summary}. ${description}`, '  ')}  ${name}(${input}, options?: ${stream ? 'StreamOptions' : 'CallOptions'}): ${result};`;
}

function isRequired(query: z.ZodMiniType | undefined, schemas: Schemas): boolean {
  return query !== undefined && ((schemas.of(query).required as string[] | undefined) ?? []).length > 0;
}

function typeOf(schema: Json, indent: string): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map((each) => typeOf(each as Json, indent)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${wrapped(typeOf(schema.items as Json, indent))}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return schema.type as string;
  }
}

const wrapped = (type: string) => (type.includes(' ') && !type.startsWith('{') ? `(${type})` : type);

function objectType({ properties = {}, required = [], additionalProperties }: Json, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const optional = (required as string[]).includes(name) ? '' : '?';
    const type = `${typeOf(schema, inner)}${optional === '' ? '' : ' | undefined'}`;
    return `${comment(schema.description, inner)}${inner}readonly ${name}${optional}: ${type};\n`;
  });
  if (typeof additionalProperties !== 'object') return `{\n${fields.join('')}${indent}}`;
  const others = `readonly [name: string]: ${typeOf(additionalProperties as Json, inner)}`;
  if (fields.length === 0) return `{ ${others} }`;
  return `{\n${fields.join('')}${inner}${others} | undefined;\n${indent}}`;
}

function comment(text: unknown, indent: string): string {
  // The text may contain the end of a comment.
  return typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
}
