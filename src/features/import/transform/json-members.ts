/** One member of a JSON object, by where its text lies. */
export interface Member {
  /** The name, unescaped. */
  readonly name: string;
  /** Index of the opening quote of the name. */
  readonly at: number;
  /** Where the value begins and ends. */
  readonly start: number;
  readonly end: number;
}

/**
 * The members of the JSON object that begins at `at`, in order and with repeats, which JSON.parse would hide.
 * Values stay text, so that a number keeps its spelling. `text` must have passed JSON.parse.
 */
export function membersOf(text: string, at = 0): Member[] {
  const members: Member[] = [];
  let i = blank(text, at) + 1;
  for (;;) {
    i = blank(text, i);
    if (text[i] === '}') return members;
    if (text[i] === ',') i = blank(text, i + 1);
    const quote = i;
    i = stringEnd(text, i);
    const name = JSON.parse(text.slice(quote, i)) as string;
    const start = blank(text, blank(text, i) + 1);
    i = valueEnd(text, start);
    members.push({ name, at: quote, start, end: i });
  }
}

function blank(text: string, at: number): number {
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
