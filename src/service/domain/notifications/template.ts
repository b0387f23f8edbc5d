/** Personal fields of a user, joined inside the service only. */
export interface PersonalFields {
  readonly name?: string;
  readonly phone?: string;
  readonly accountNumber?: string;
}

const PERSONAL = ['name', 'phone', 'accountNumber'] as const;

/** `{{orderId}}`, `{{user.name}}`, or with words for an absent value `{{user.name|there}}`. */
const PLACE = /\{\{\s*([A-Za-z_][\w.-]*)\s*(?:\|([^{}]*))?\}\}/g;

/** The variables that a template cannot do without, in order of appearance, each once. */
export function neededVariables(template: string): string[] {
  const names = new Set<string>();
  for (const [, name, fallback] of template.matchAll(PLACE))
    if (name && !name.startsWith('user.') && fallback === undefined) names.add(name);
  return [...names];
}

/** Which of the needed variables the caller left out. */
export function missingVariables(template: string, variables: Readonly<Record<string, string>>): string[] {
  return neededVariables(template).filter((name) => !Object.hasOwn(variables, name));
}

/**
 * Fills a template in one pass, so a value that looks like a place is text. `user.…` places take the user's personal
 * fields and nothing else does: a variable cannot read them. Returns the text, or the names that have no value.
 */
export function fillTemplate(
  template: string,
  variables: Readonly<Record<string, string>>,
  personal: PersonalFields,
): { ok: true; text: string } | { ok: false; missing: string[] } {
  const missing = new Set<string>();
  const text = template.replace(PLACE, (_, name: string, fallback: string | undefined) => {
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
  return field && personal[field];
}

/** The fields as they may be shown outside: enough to tell one from another, not to reach or name anybody. */
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
