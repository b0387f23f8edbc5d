/** `--map`: a field or property, and the columns or paths that it is read from. */
export interface MapRule {
  readonly target: string;
  /** Each alternative names columns, whose values are joined with a space; the first that is not empty is used. */
  readonly sources: readonly (readonly string[])[];
}

/** A rule that reads one column. */
export function simpleRule(target: string, column: string): MapRule {
  return { target, sources: [[column]] };
}

/** The only column of a rule; undefined if it has several. */
export function onlyColumn({ sources }: MapRule): string | undefined {
  return sources.length === 1 && sources[0]!.length === 1 ? sources[0]![0] : undefined;
}

/** All columns that rules read. */
export function columnsOf(rules: readonly MapRule[]): string[] {
  return rules.flatMap(({ sources }) => sources.flat());
}

/** Parses `field=column`, where `a,b` is the first of two that is not empty, and `a+b` joins two. Undefined without `=`. */
export function parseRule(text: string): MapRule | undefined {
  const [target, ...rest] = splitUnescaped(text, '=');
  if (target === undefined || target === '' || rest.length === 0) return undefined;
  // Only the first = separates, so that a column may contain one.
  const spec = rest.join('=');
  const sources = splitUnescaped(spec, ',').map((source) => splitUnescaped(source, '+').map(unescaped));
  return { target: unescaped(target), sources };
}

/** Writes a rule as `parseRule` reads it. */
export function ruleText({ target, sources }: MapRule): string {
  const spec = sources.map((parts) => parts.map(columnText).join('+')).join(',');
  return `${columnText(target).replaceAll('=', '\\=')}=${spec}`;
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts = [''];
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === separator) parts.push('');
    else if (c === '\\' && i + 1 < text.length) parts[parts.length - 1] += c + text[++i];
    else parts[parts.length - 1] += c;
  }
  return parts;
}

/** A backslash before another character stands for itself. */
function unescaped(text: string): string {
  return text.replace(/\\([,+=\\])/g, '$1');
}

/** Writes the name of a column as a rule has it. */
export function columnText(text: string): string {
  return text.replace(/[,+\\]/g, '\\$&');
}
