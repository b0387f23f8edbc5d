import { bar } from '../../cli/terminal/bar.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { bold, dim, type Text } from '../../cli/terminal/text.ts';
import { wrap } from '../../kit/wrap.ts';

/** Width of the labels below the table. */
const LABEL = 10;

/**
 * Renders a decision: a table of the action and the alternatives, and the reason below it. Accepts any answer: parts
 * that are missing or of another type are left out.
 */
export function showDecision(answer: unknown, out: Output): Text {
  if (!isObject(answer)) return 'The service returned something other than a decision.';
  const action = isObject(answer.action) ? answer.action : undefined;
  const alternatives = Array.isArray(answer.alternatives) ? answer.alternatives.filter(isObject) : [];
  const chosen = action && text(action.contentId) !== '' ? [row('chosen', action, bold, out)] : [];
  const rows = [...chosen, ...alternatives.map((other) => row('next', other, (cell) => cell, out))];
  const lines: Text[] = [];
  const label = (name: string) => (out.isTerminal ? name.padEnd(LABEL) : `${name}\t`);
  if (rows.length > 0)
    lines.push(
      out.table(
        [{ title: '' }, { title: 'CONTENT', whole: true }, { title: 'RANKING' }, { title: 'TYPE' }],
        rows,
      ),
    );
  if (chosen.length === 0) lines.push('no action');
  if (action && text(action.reason) !== '') lines.push([label('reason'), beside(text(action.reason), out)]);
  if (text(answer.decisionId) !== '') lines.push(dim([label('decision'), text(answer.decisionId)]));
  return lines.flatMap((line, i) => (i === 0 ? [line] : ['\n', line]));
}

/** Wraps text beside a label at the width of the terminal. */
function beside(words: string, { columns = Number.POSITIVE_INFINITY }: Output): string {
  return wrap(sanitizeLine(words), columns - LABEL).join(`\n${' '.repeat(LABEL)}`);
}

/** The bar is shown on a terminal only; a pipe gets the number. */
function row(
  role: string,
  action: Record<string, unknown>,
  style: (cell: Text) => Text,
  out: Output,
): Text[] {
  const ranking =
    typeof action.ranking === 'number'
      ? `${out.isTerminal ? `${bar(action.ranking)} ` : ''}${action.ranking.toFixed(3)}`
      : text(action.ranking);
  return [role, style(text(action.contentId)), ranking, text(action.type)];
}

const text = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
