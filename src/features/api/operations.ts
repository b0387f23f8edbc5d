import type { Output } from '../../cli/terminal/output.ts';
import type { Text } from '../../cli/terminal/text.ts';
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts';

/** An operation in the output of `svc api --list`. */
interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Rate-limit group. */
  readonly group: string;
  readonly summary: string;
  readonly beyondSpecification: boolean;
}

/** The operations of the endpoint table. */
export function operations(): Operation[] {
  return (Object.entries(ENDPOINTS) as [string, Endpoint][]).map(([operationId, endpoint]) => {
    const { method, path, group, summary, beyondSpecification } = endpoint;
    return { operationId, method, path, group, summary, beyondSpecification };
  });
}

export function operationsTable(list: readonly Operation[], out: Output): Text {
  return out.table(
    [{ title: 'METHOD', whole: true }, { title: 'PATH', whole: true }, { title: 'SUMMARY' }],
    list.map(({ method, path, summary }) => [method, path, summary]),
  );
}
