import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ENDPOINTS } from '../../../src/contract/endpoints.ts';
import { openApi } from '../../../src/contract/openapi.ts';

export type Json = Record<string, unknown>;

interface Content {
  readonly schema: Json;
  readonly examples?: Record<string, { value: unknown }>;
}
interface Header {
  readonly required?: boolean;
  readonly schema: Json;
}
interface ResponseObject {
  readonly description: string;
  readonly headers?: Record<string, Json>;
  readonly content?: Record<string, Content>;
}
export interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: Json[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, Json>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, { readonly post: Operation }>;
  readonly components: Record<string, Record<string, Json>>;
}

/** The API description, as the source makes it. */
export const DOCUMENT = openApi('0') as unknown as Document;

const ALL = Object.values(DOCUMENT.paths)
  .flatMap((path) => Object.values(path))
  .map((operation) => [operation.operationId, operation] as const);

/** The operations of the endpoint table by their name. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(ALL.filter(([name]) => name in ENDPOINTS));

/** The operations that take no key, by their name. */
export const KEYLESS: ReadonlyMap<string, Operation> = new Map(ALL.filter(([name]) => !(name in ENDPOINTS)));

/** Follows a reference within the document. */
export function resolved(value: Json): Json {
  if (typeof value.$ref !== 'string') return value;
  let target: unknown = DOCUMENT;
  for (const name of value.$ref.slice(2).split('/')) target = (target as Json)[name];
  if (target === undefined) throw new Error(`${value.$ref} does not exist`);
  return target as Json;
}

/** The description of the response to an operation with a status. */
export function responseOf(operation: Operation, status: number): ResponseObject {
  const response = operation.responses[status];
  if (!response) throw new Error(`${operation.operationId} does not describe ${status}`);
  return resolved(response) as unknown as ResponseObject;
}

/** The headers that a response describes, by name. */
export function headersOf(response: ResponseObject): [string, Header][] {
  return Object.entries(response.headers ?? {}).map(([name, header]) => [
    name,
    resolved(header) as unknown as Header,
  ]);
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** Closes all objects of a schema that name their fields, so that a field that is not described is an error. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const names = object.type === 'object' && object.properties && !('additionalProperties' in object);
  return names ? { ...object, additionalProperties: false } : object;
}

/** An independent validator of the schemas. With `strict`, fields that are not described are errors. */
export class Validator {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor({ strict = false } = {}) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(this.#ajv);
    this.#ajv.addFormat('time-zone', isTimeZone);
    this.#ajv.addKeyword({
      keyword: 'x-max-json-length',
      validate: (most: number, data: unknown) => JSON.stringify(data).length <= most,
    });
    const components = strict ? closed(DOCUMENT.components) : DOCUMENT.components;
    this.#ajv.addSchema({ $id: 'openapi', components }, 'openapi');
  }

  /** Returns the errors of a value, each in a line; an empty text if it is valid. */
  errors(schema: Json, value: unknown): string {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/');
    let validate = this.#compiled.get(text);
    if (!validate) {
      validate = this.#ajv.compile(JSON.parse(text) as Json);
      this.#compiled.set(text, validate);
    }
    if (validate(value)) return '';
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`).join('\n');
  }
}
