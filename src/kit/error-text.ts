/** Maximum length of an error message: a certificate, for example, can contain 100 KB of names. */
const MAX_ERROR_CHARACTERS = 300;

/** An error as one short line without control characters: parts of it may come from the other side. */
export function errorText(error: unknown): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  const text = error instanceof Error ? inner?.message || error.message || error.name : String(error);
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > MAX_ERROR_CHARACTERS ? `${line.slice(0, MAX_ERROR_CHARACTERS)}…` : line;
}
