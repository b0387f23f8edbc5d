import { isMembers } from '../../../contract/catalog-changes.ts';
import { judge, violatedField } from '../../../contract/event-plan.ts';
import type { GivenPlan } from '../../catalog/event-plan-file.ts';
import type { Mapped, RecordMappers, UNCHANGED } from '../formats/record-mappers.ts';
import { combineErrors, type ValidationError } from '../record/validation-errors.ts';

/** Mappers that reject the events that are not as planned, whether a service would count or refuse them. */
export function planned(mappers: RecordMappers, plan: GivenPlan): RecordMappers {
  return {
    ...mappers,
    scan: undefined,
    json: (text) => {
      const mapped = mappers.json(text);
      return againstPlan(mapped, text, plan) ?? mapped;
    },
    rows: (header, file) => {
      const table = mappers.rows(header, file);
      return {
        notices: table.notices,
        record: (cells) => {
          const mapped = table.record(cells);
          return againstPlan(mapped, '', plan) ?? mapped;
        },
      };
    },
  };
}

/** What an event that would be sent does against the plan. `text`: the record, if it is sent as it is. */
function againstPlan(
  mapped: Mapped | typeof UNCHANGED,
  text: string,
  { judge: rules }: GivenPlan,
): ValidationError | undefined {
  if ('filtered' in mapped || 'field' in mapped) return undefined;
  const sent = JSON.parse('unchanged' in mapped ? text : mapped.bytes.toString('utf8', 0, mapped.length));
  const event = typeof sent.event === 'string' ? sent.event : '';
  const found = judge(rules, event, isMembers(sent.properties) ? sent.properties : {});
  const errors = found.map((violation) => ({
    field: violatedField(violation),
    reason: `${violation.message} (--plan)`,
  }));
  const error = combineErrors(errors);
  return error
    ? { ...error, violations: found.map(({ property, rule }) => ({ event, property, rule })) }
    : undefined;
}
