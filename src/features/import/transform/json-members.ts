/** The position of a member of a JSON object in the text. */
export interface Member {
  /** The name, unescaped. */
  readonly name: string;
  /** Index of the opening quote of the name. */
  readonly at: number;
  /** Start and end of the value. */
  readonly start: number;
  readonly end: number;
}

/**
 * Lists the members of the JSON object that starts at `at`, in order and including duplicates, which JSON.parse hides.
 * Values stay text, so that numbers keep their spelling. `text` must be valid JSON.
 */
export function membersOf(text: string, at = 0): Member[] {
  const members: Member[] = [];
  let i = skipWhitespace(text, at) + 1;
  for (;;) {
    i = skipWhitespace(text, i);
    if (text[i] === '}') return members;
    if (text[i] === ',') i = skipWhitespace(text, i + 1);
    const quote = i;
    i = stringEnd(text, i);
    const name = JSON.parse(text.slice(quote, i)) as string;
    const start = skipWhitespace(text, skipWhitespace(text, i) + 1);
    i = valueEnd(text, start);
    members.push({ name, at: quote, start, end: i });
  }
}

function skipWhitespace(text: string, at: number): number {
  let i = at;
  while (' \t\r\n'.includes(text[i] ?? 'x')) i++;
  return i;
}

function stringEnd(text: string, quote: number): number {
  let i = quote + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i + 1;
}

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  let i = start;
  if (first !== '{' && first !== '[') {
    while (!' \t\r\n,}]'.includes(text[i] ?? ',')) i++;
    return i;
  }
  let depth = 0;
  do {
    const c = text[i];
    if (c === '"') {
      i = stringEnd(text, i);
      continue;
    }
    if (c === '{' || c === '[') depth++;
    else if (c === '}' || c === ']') depth--;
    i++;
  } while (depth > 0);
  return i;
}
