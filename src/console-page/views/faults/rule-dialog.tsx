import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { EVENT_KINDS } from '../../../contract/event-kind-names.ts';
import { OPERATIONS } from '../../../contract/operations.gen.ts';
import { ask } from '../../data/api.ts';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Segments } from '../../parts/segments.tsx';
import { EFFECTS, type Place, type Rule } from './fault-words.ts';

const PLACES = [
  ['requests', 'Requests'],
  ['deliveries', 'Deliveries'],
] as const;

/** Faults that wait, and those that answer with a status of choice. */
const WAITING: ReadonlySet<string> = new Set(['slow-answer', 'late', 'out-of-order']);
const FAILING: ReadonlySet<string> = new Set(['fail', 'fail-after-commit']);

/** The choice of all of them, which a new rule of requests does not begin with. */
const ANY = '*';

/** Members that are not in the form, and stay as they are. */
const KEPT = ['from', 'to', 'burst', 'chance'] as const;

type Members = Rule['rule'] & Readonly<Record<string, unknown>>;

/** Adds a rule, or changes or removes `of`, until the service stops. */
export function RuleDialog(props: { of?: Rule; done: () => void; close: () => void }): VNode {
  const { of, done, close } = props;
  const before = (of?.rule ?? { fault: 'fail' }) as Members;
  const [place, setPlace] = useState<Place>(of?.place ?? 'requests');
  const [fault, setFault] = useState(before.fault);
  const [target, setTarget] = useState(before.endpoint ?? before.type ?? (of ? ANY : ''));
  const [every, setEvery] = useState(Number(before.every ?? (of ? 1 : 10)));
  const [delayMs, setDelayMs] = useState(Number(before.delayMs ?? 2000));
  const [status, setStatus] = useState(Number(before.status ?? 503));
  const rule = {
    ...(target === '' || target === ANY
      ? {}
      : place === 'requests'
        ? { endpoint: target }
        : { type: target }),
    fault,
    ...(every > 1 ? { every } : {}),
    ...(WAITING.has(fault) ? { delayMs } : {}),
    ...(FAILING.has(fault) ? { status } : {}),
    ...Object.fromEntries(KEPT.flatMap((name) => (name in before ? [[name, before[name]]] : []))),
  };
  const put = async (body: object) => {
    await ask('faults', { method: 'PUT', body });
    done();
  };
  const choosePlace = (value: string) => {
    setPlace(value as Place);
    setFault(Object.keys(EFFECTS[value as Place])[0]!);
    setTarget(value === 'requests' ? '' : ANY);
  };
  return (
    <Confirm
      title={of ? 'Change the rule' : 'New rule'}
      verb={of ? 'Change the rule' : 'Add the rule'}
      run={() => put({ place, ...(of ? { index: of.index } : {}), rule })}
      close={close}
    >
      {!of && (
        <Segments label="Where the fault is injected" options={PLACES} chosen={place} choose={choosePlace} />
      )}
      <div class="rule-fields">
        <label>
          Fault
          <select value={fault} onChange={(event) => setFault(event.currentTarget.value)}>
            {Object.entries(EFFECTS[place]).map(([name, effect]) => (
              <option value={name}>
                {name}: {effect}
              </option>
            ))}
          </select>
        </label>
        <label>
          {place === 'requests' ? 'Of which operation' : 'Of which outcome'}
          <select required value={target} onChange={(event) => setTarget(event.currentTarget.value)}>
            {place === 'requests' && <option value="">choose one</option>}
            <option value={ANY}>any</option>
            {(place === 'requests' ? Object.keys(OPERATIONS) : EVENT_KINDS).map((name) => (
              <option>{name}</option>
            ))}
          </select>
        </label>
        <NumberField label="Once in how many" value={every} least={1} most={1_000_000} set={setEvery} />
        {WAITING.has(fault) && (
          <NumberField label="How late, in ms" value={delayMs} least={0} most={600_000} set={setDelayMs} />
        )}
        {FAILING.has(fault) && (
          <NumberField label="Status" value={status} least={500} most={599} set={setStatus} />
        )}
      </div>
      <p class="note">
        It holds until the service stops. To keep it, put it among the <code>{place}</code> of the faults
        file:
      </p>
      <Command line={JSON.stringify(rule)} label="the rule" />
      {of && (
        <p>
          <button type="button" onClick={() => put({ place, index: of.index, remove: true }).then(close)}>
            Remove the rule
          </button>
        </p>
      )}
    </Confirm>
  );
}

function NumberField(props: {
  label: string;
  value: number;
  least: number;
  most: number;
  set: (value: number) => void;
}): VNode {
  const { label, value, least, most, set } = props;
  return (
    <label>
      {label}
      <input
        type="number"
        required
        min={least}
        max={most}
        value={value}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}
