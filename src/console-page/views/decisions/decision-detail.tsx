import type { VNode } from 'preact';
import { MASKED } from '../../../kit/personal-data.ts';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { Command } from '../../parts/command.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { Cards } from '../../parts/facts.tsx';
import { counted, percent, score } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, cleaned, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { UserLink } from '../../parts/user-link.tsx';
import { DecisionLife, Neighbours } from './decision-life.tsx';
import {
  byRanking,
  type Candidate,
  contextLine,
  type Decision,
  earnedWords,
  KIND_WORDS,
  kindOf,
  likelierThanBetter,
  ordinal,
} from './decision-words.ts';
import { Explanation } from './explanation.tsx';
import { Removed } from './removed.tsx';

/** One decision: what was chosen, why, from which candidates, and what came of it. */
export function DecisionDetail({ id }: { id: string }): VNode {
  const {
    value: found,
    error,
    reload,
  } = useResource(id, (signal) =>
    Promise.all([
      call('getDecision', { params: { id }, signal }),
      // A service of an earlier version does not list messages.
      call('listLatestMessages', { query: { decisionId: id }, signal }).catch(() => undefined),
    ]),
  );
  if (!found) return error ? <Failure error={error} retry={reload} /> : <Loading what="the decision" />;
  const [value, listed] = found;
  const message = listed?.messages[0];
  const kind = kindOf(value);
  return (
    <article class="detail" aria-label={`Decision ${id}`}>
      <p class="overline">
        <Id of={value.decisionId} />
      </p>
      <Neighbours of={value} />
      <h2 class="detail-title">
        {value.contentId === null ? (
          'No action'
        ) : (
          <a href={`/contents/${encodeURIComponent(value.contentId)}`}>
            <Text of={value.contentId} />
          </a>
        )}{' '}
        <Badge tone={kind === 'tried' ? 'warn' : kind === 'likely' ? 'good' : 'plain'}>
          {KIND_WORDS[kind]}
        </Badge>
      </h2>
      <p class="lead">
        <Why decision={value} />
      </p>
      {value.reason !== undefined && (
        <p class="note">
          <Text of={value.reason} />
        </p>
      )}
      <Cards
        facts={[
          {
            name: 'Earned',
            value: earnedWords(value),
            note: value.reward === null ? 'counted once it is served' : undefined,
          },
          {
            name: 'Context',
            value: <Text of={contextLine(value.context) || 'none given'} />,
            note: <Time at={value.at} />,
          },
          {
            name: 'User',
            value: <UserLink of={value.hashId} />,
            note: 'hashId only',
          },
          {
            name: 'Model',
            value: `version ${value.modelVersion}`,
            note: (
              <span title="With it and this version, the same choice can be drawn again">
                <Text of={`seed ${value.seed}`} />
              </span>
            ),
          },
        ]}
      />
      {message && <DecisionLife decision={value} message={message} />}
      {value.explanation !== undefined ? (
        <Explanation of={value.explanation} decision={value} />
      ) : (
        value.policy === 'learned' &&
        value.candidates.length > 1 && (
          <p class="note">No trait of the user or the place moved this choice, or none is kept.</p>
        )
      )}
      {value.candidates.length > 0 && <Candidates decision={value} />}
      {value.removed !== undefined && value.removed.length > 0 && (
        <Removed removed={value.removed} context={value.context} />
      )}
      <Command label="this decision" line={svcCommand('decisions', 'get', value.decisionId)} />
      {!Object.values(value.context).includes(MASKED) && (
        <Command
          label="ask for a decision like this"
          line={svcCommand(
            'decide',
            ...flagsOf({
              hashId: value.hashId,
              channel: value.context.channel,
              surface: value.context.surface,
              locale: value.context.locale,
            }),
          )}
        />
      )}
    </article>
  );
}

function Why({ decision }: { decision: Decision }): VNode {
  const ranked = byRanking(decision);
  const at = ranked.findIndex(({ contentId }) => contentId === decision.contentId);
  const chosen = ranked[at];
  const kind = kindOf(decision);
  if (kind === 'none' || chosen === undefined)
    return <>Nothing was eligible for this user in this place, or a guardrail excluded what was.</>;
  const others = decision.others?.count ?? 0;
  const place = `Ranked ${ordinal(at + 1)} of ${ranked.length + others}`;
  const earns = (
    <>
      {place}: a message with it is expected to earn <strong>{score(chosen.ranking)}</strong> of a reward.
    </>
  );
  const likelihood = <strong>{percent(chosen.propensity)}</strong>;
  if (kind === 'even')
    return (
      <>
        {earns} The user is in the holdout group, where each of the eligible contents is equally likely:{' '}
        {likelihood}.
      </>
    );
  if (kind === 'weights')
    return (
      <>
        {earns} The placement has fixed weights, which gave it a likelihood of {likelihood}.
      </>
    );
  if (kind === 'likely')
    return (
      <>
        {earns}{' '}
        {at === 0
          ? 'It is also the most likely one'
          : 'It is the most likely one all the same, as less is known of it'}
        : of requests like this, {likelihood} get it.
      </>
    );
  const likeliest = [...ranked].sort((a, b) => b.propensity - a.propensity)[0]!;
  return (
    <>
      {earns} It was tried to learn more about it: of requests like this, {likelihood} get it, and{' '}
      {percent(likeliest.propensity)} get{' '}
      <strong>
        <Text of={likeliest.contentId} />
      </strong>
      .
    </>
  );
}

/** How likely each candidate was to be chosen, as one bar. Its figures are those of the candidates. */
function Propensities({ decision: { candidates, others, contentId } }: { decision: Decision }): VNode {
  const parts = [
    ...[...candidates]
      .sort((a, b) => b.propensity - a.propensity)
      .map(({ contentId: id, propensity }) => ({ id, propensity, colour: colourOf(id) })),
    ...(others ? [{ id: '', propensity: others.propensity, colour: 'other' }] : []),
  ];
  const [most, ...rest] = parts;
  const isEven =
    !others && rest.length > 0 && rest.every(({ propensity }) => most!.propensity - propensity < 1e-6);
  return (
    <>
      <h3>
        {isEven ? (
          `Each of ${counted(candidates.length, 'candidate')} was equally likely`
        ) : (
          <>
            <Cut of={most!.id} /> had a likelihood of {percent(most!.propensity)} to be chosen
            {rest.length > 0 &&
              `, ${counted(rest.length + (others ? others.count - 1 : 0), 'other')} the rest`}
          </>
        )}
      </h3>
      <div
        class="propensities"
        role="img"
        aria-label={`Likelihood of each candidate: ${parts.map(({ id, propensity }) => `${cleaned(id) || 'all others'} ${percent(propensity)}`).join(', ')}`}
      >
        {parts.map(({ id, propensity, colour }) => (
          <span
            key={id}
            class={`${colour}${id === contentId ? ' picked' : ''}`}
            style={{ flexGrow: propensity }}
            title={`${cleaned(id) || 'all others'}: ${percent(propensity)}`}
          />
        ))}
      </div>
    </>
  );
}

function Candidates({ decision }: { decision: Decision }): VNode {
  const rows = byRanking(decision);
  const most = Math.max(...rows.map(({ ranking }) => ranking), 0);
  const reversed = likelierThanBetter(decision);
  const isChosen = ({ contentId }: Candidate) => contentId === decision.contentId;
  const columns: readonly Column<Candidate>[] = [
    {
      title: 'Candidate',
      cell: (row) => (
        <>
          <span class={`swatch ${colourOf(row.contentId)}`} aria-hidden="true" />
          <Cut of={row.contentId} /> {isChosen(row) && <Badge tone="accent">chosen</Badge>}
        </>
      ),
    },
    {
      title: 'Expected',
      note: 'reward of a message, 0 to 1',
      cell: (row) => <Bar value={row.ranking} max={most} label={score(row.ranking)} strong={isChosen(row)} />,
    },
    {
      title: 'Likelihood',
      note: 'of being chosen, 100 % in all',
      cell: (row) => (
        <Bar value={row.propensity} max={1} label={percent(row.propensity)} strong={isChosen(row)} />
      ),
    },
  ];
  return (
    <>
      <Propensities decision={decision} />
      <Table
        label="Candidates"
        columns={columns}
        rows={rows}
        keyOf={({ contentId }) => contentId}
        current={isChosen}
      />
      {reversed && (
        <p class="note">
          <Text of={reversed[0].contentId} /> was more likely than <Text of={reversed[1].contentId} />, though
          it is expected to earn less: less is known of it, and a choice counts what it may earn.
        </p>
      )}
      {decision.others && (
        <p class="note">
          And {decision.others.count} more candidates with a likelihood of{' '}
          {percent(decision.others.propensity)} together.
        </p>
      )}
    </>
  );
}
