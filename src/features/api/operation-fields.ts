import type { Field } from '../../cli/terminal/listing.ts';

/** An operation in the output of `svc api --list`. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Rate-limit group. */
  readonly group: string;
  readonly summary: string;
  readonly beyondSpecification: boolean;
}

/** The fields of the list of operations. */
export const OPERATION_FIELDS: readonly Field<Operation>[] = [
  { field: 'method', title: 'METHOD', whole: true },
  { field: 'path', title: 'PATH', whole: true },
  { field: 'summary', title: 'SUMMARY' },
  { field: 'operationId', title: 'OPERATION', extra: true },
  { field: 'group', title: 'LIMIT', extra: true },
  { field: 'beyondSpecification', title: 'BEYOND SPECIFICATION', extra: true },
];
