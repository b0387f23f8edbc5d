import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { text, textOrNull } from './fields.ts';

export const PreviewOutput = z.object({
  templateId: text('The template.'),
  channel: text('The channel.'),
  locale: textOrNull('The locale; null if none was given.'),
  subject: textOrNull('Subject or title.'),
  text: text('The text.'),
  html: z.optional(text('HTML of an e-mail.')),
  push: z.optional(about('Title, body and data of a push message.', z.looseObject({}))),
  whatsapp: z.optional(about('The approved template, and what fills its parameters.', z.looseObject({}))),
});
