import type { Agent, components } from '@agent-fleet/sdk';
import { may } from '../../api/session.ts';
import { getAny } from '../../api/use-get.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { RowLink, Table, timeColumn } from '../../components/table.tsx';
import { type Definition, isOfDefinition, useDefinition, useVersion } from '../../definitions/definition.ts';
import { DefinitionChanges, DefinitionView } from '../../definitions/definition-texts.tsx';
import { EditDefinitionDialog } from '../../definitions/edit-definition.tsx';
import { useAddress } from '../../frame/address.ts';
import { toListPage } from '../../list/list-page.ts';
import { Pager } from '../../list/pager.tsx';
import { toInteger } from '../../requests/path.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';

/** What an agent is: its definition, the versions of it, and what is different between two. */
export function DefinitionPart({ agent: { id } }: { agent: Agent }) {
  const { query } = useAddress();
  const current = useDefinition(id);
  const number = toInteger(query.get('version'));
  const isOld = number !== undefined && number !== current.data?.version;
  const old = useVersion(id, isOld ? number : undefined);
  const shown = isOld ? (old.isStale ? undefined : old.data) : current.data;
  const error = current.error ?? (isOld ? old.error : undefined);
  const { dialog, open } = useDialog();
  const edit = (from?: Definition) =>
    open((onClose) => (
      <EditDefinitionDialog
        {...{ agentId: id, current: current.data ?? null, onDone: current.reload, onClose }}
        old={from}
      />
    ));
  return (
    <>
      {error !== undefined && (
        <ErrorNotice title="The definition could not be loaded" error={error} onRetry={current.reload} />
      )}
      {shown === undefined && error === undefined && <Skeleton height="30rem" />}
      {shown === null && <NoDefinition onDefine={() => edit()} />}
      {shown && (
        <Panel
          title={`Version ${shown.version}${isOld ? '' : ', which new tasks have'}`}
          actions={
            may('agents:write') && (
              <Button isSmall onClick={() => edit(isOld ? shown : undefined)}>
                {isOld ? `Go back to ${shown.version}` : 'Edit definition'}
              </Button>
            )
          }
        >
          <DefinitionView definition={shown} />
        </Panel>
      )}
      {shown && <Compared agentId={id} shown={shown} current={current.data ?? undefined} />}
      <Versions agentId={id} shown={shown?.version} />
      {dialog}
    </>
  );
}

function NoDefinition({ onDefine }: { onDefine: () => void }) {
  const button = may('agents:write') && (
    <Button kind="primary" onClick={onDefine}>
      Define the agent
    </Button>
  );
  return (
    <EmptyState title="This agent has no definition" actions={button}>
      With one, its tasks need no more than a message: it has instructions, a model, skills, permissions and limits.
    </EmptyState>
  );
}

interface ComparedProps {
  agentId: string;
  shown: Definition;
  current: Definition | undefined;
}

/** The difference to the version that the address names, or of an old one to today's. */
function Compared({ agentId, shown, current }: ComparedProps) {
  const address = useAddress();
  const number = toInteger(address.query.get('with')) ?? current?.version;
  const isCurrent = number === current?.version;
  const { data, error, isStale } = useVersion(agentId, isCurrent ? undefined : number);
  const other = isCurrent ? current : isStale ? undefined : data;
  if (number === undefined || number === shown.version) return null;
  if (error !== undefined) return <ErrorNotice title={`Version ${number} could not be loaded`} error={error} />;
  if (!other) return <Skeleton height="10rem" />;
  const [before, after] = other.version < shown.version ? [other, shown] : [shown, other];
  return (
    <Panel
      title={`From version ${before.version} to ${after.version}`}
      isFlush
      actions={
        <LinkButton isSmall href={address.hrefOf({ version: undefined, with: undefined })}>
          Close
        </LinkButton>
      }
    >
      <DefinitionChanges before={before} after={after} />
    </Panel>
  );
}

const ROWS = 25;
type Version = components['schemas']['ListedDefinition'];

/** Who has made which version, when and why. */
function Versions({ agentId, shown }: { agentId: string; shown: number | undefined }) {
  const { query, hrefOf } = useAddress();
  const skip = toInteger(query.get('skip')) ?? 0;
  const params = { path: { agent_id: agentId }, query: { order: 'desc', skip, limit: ROWS } };
  const list = useQuery(
    `versions ${JSON.stringify(params)}`,
    async (signal) => toListPage<Version>(await getAny('/agents/{agent_id}/definition/versions', { params, signal })),
    { reloadOn: (event) => isOfDefinition(event, agentId) },
  );
  if (list.error !== undefined) {
    return <ErrorNotice title="The versions could not be loaded" error={list.error} onRetry={list.reload} />;
  }
  if (list.data?.total === 0) return null;
  return (
    <Panel title="Versions" isFlush>
      <Table
        label="Versions"
        rows={list.data?.rows}
        rowKey={({ version }) => String(version)}
        rowClass={({ version }) => (version === shown ? 'is-selected' : undefined)}
        isStale={list.isStale}
        expectedRows={3}
        columns={[
          {
            title: 'Version',
            cell: ({ version }) => (
              <RowLink href={hrefOf({ version: `${version}`, with: undefined })}>{version}</RowLink>
            ),
          },
          {
            title: 'Why',
            isMain: true,
            cell: ({ note }) => <span class="cut">{note ? safeLine(note) : '–'}</span>,
            narrow: ({ created_by: by, created_at }) => (
              <>
                {by && `${safeLine(by.name)} · `}
                <RelativeTime at={created_at} />
              </>
            ),
          },
          {
            title: 'By',
            isWideOnly: true,
            cell: ({ created_by: by }) => <span class="cut takes">{by ? safeLine(by.name) : '–'}</span>,
          },
          timeColumn<Version>('When', ({ created_at }) => created_at, { isWideOnly: true }),
          {
            title: 'Compare',
            isTitleHidden: true,
            cell: ({ version }) =>
              version !== shown && (
                <a
                  href={hrefOf({ with: `${version}`, version: shown ? `${shown}` : undefined })}
                  aria-label={`Compare with version ${version}`}
                >
                  Compare
                </a>
              ),
          },
        ]}
      />
      {(skip > 0 || list.data?.next) && <Pager page={list.data} limit={ROWS} />}
    </Panel>
  );
}
