import type { AnswerOf } from '../../../contract/endpoints.ts';

export type Overview = AnswerOf<'getOverview'>;
