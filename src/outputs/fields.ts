/** Short forms of the fields that outputs consist of. */
import * as z from 'zod/mini';
import { about, time } from '../contract/parts.ts';

export const text = (description: string) => about(description, z.string());
export const whole = (description: string) => about(description, z.int());
export const number = (description: string) => about(description, z.number());
export const flag = (description: string) => about(description, z.boolean());
export const textOrNull = (description: string) => about(description, z.nullable(z.string()));
export const wholeOrNull = (description: string) => about(description, z.nullable(z.int()));
export const timeOrNull = (description: string) =>
  about(description, z.nullable(z.string()), { format: 'date-time' });
export { time };

/** What a command prints under `--json`: one document, or one in each line. */
export interface Printed {
  readonly description: string;
  readonly schema: z.ZodMiniType;
  readonly lines: boolean;
}

export const document = (description: string, schema: z.ZodMiniType): Printed => ({
  description,
  schema,
  lines: false,
});
export const lines = (description: string, schema: z.ZodMiniType): Printed => ({
  description,
  schema,
  lines: true,
});
