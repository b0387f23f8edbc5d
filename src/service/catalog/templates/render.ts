/** Personal fields of a user. They are joined only inside the service. */
export interface PersonalFields {
  readonly name?: string;
  readonly phone?: string;
  readonly accountNumber?: string;
}

const PERSONAL = ['name', 'phone', 'accountNumber'] as const;

/** A placeholder: `{{orderId}}`, `{{user.name}}`, or with a default value `{{user.name|there}}`. */
const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*(?:\|([^{}]*))?\}\}/g;

/** The variables that a template requires, each once, in order of appearance. */
export function requiredVariables(template: string): string[] {
  const names = new Set<string>();
  for (const [, name, fallback] of template.matchAll(PLACEHOLDER))
    if (name && !name.startsWith('user.') && fallback === undefined) names.add(name);
  return [...names];
}

/** The fields of the user that a template names, but no user has. */
export function unknownFields(template: string): string[] {
  const known = PERSONAL.map((field) => `user.${field}`);
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!);
  return [...new Set(names.filter((name) => name.startsWith('user.') && !known.includes(name)))];
}

/** Double braces that belong to no placeholder, such as `{{order id}}`, each with what follows up to its end. */
export function straysOf(template: string): string[] {
  const rest = template.replace(PLACEHOLDER, ' ');
  return [...new Set(rest.match(/\{\{[^{}]{0,40}(?:\}\})?|\}\}/g) ?? [])];
}

/**
 * Fills a template in one pass, so that placeholders in values are not expanded. Only `user.…` placeholders read personal
 * fields; variables cannot. Returns the text, or the names without a value.
 */
export function fillTemplate(
  template: string,
  variables: Readonly<Record<string, string>>,
  personal: PersonalFields,
): { ok: true; text: string } | { ok: false; missing: string[] } {
  const missing = new Set<string>();
  const text = template.replace(PLACEHOLDER, (_, name: string, fallback: string | undefined) => {
    const value = name.startsWith('user.') ? personalValue(name, personal) : ownValue(name, variables);
    if (value === undefined && fallback === undefined) missing.add(name);
    return value ?? fallback?.trim() ?? '';
  });
  return missing.size === 0 ? { ok: true, text } : { ok: false, missing: [...missing] };
}

function ownValue(name: string, variables: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function personalValue(name: string, personal: PersonalFields): string | undefined {
  const field = PERSONAL.find((each) => name === `user.${each}`);
  // An empty value is a missing one.
  return (field && personal[field]) || undefined;
}

/** Masks personal fields for display: enough to distinguish values, not enough to identify or contact a person. */
export function maskFields(personal: PersonalFields): PersonalFields {
  const masked: { -readonly [K in keyof PersonalFields]: PersonalFields[K] } = {};
  for (const field of PERSONAL) {
    const value = personal[field];
    if (value !== undefined) masked[field] = maskValue(value, field === 'name');
  }
  return masked;
}

function maskValue(value: string, isName: boolean): string {
  const letters = [...value];
  if (isName) return `${letters[0] ?? ''}•••`;
  return letters.length > 6 ? `•••${letters.slice(-2).join('')}` : '•••';
}
