import type { components, ReplyOf } from 'coffer-sdk'
import { OctagonPause } from 'lucide-react'
import { Badge } from '../../design/badge.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { duration } from '../../design/format-duration.ts'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { NetworkName } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { HostCommand } from './host-command.tsx'
import { BooksProof } from './outgoing-state.tsx'
import { haltWords, kindWords, refusalWords, stageWords, waitWords } from './outgoing-words.ts'

type State = ReplyOf<'getOutgoingState'>
type Halt = components['schemas']['OutgoingHalt']
type Refused = components['schemas']['RefusedOutgoingTransaction']
type Wait = components['schemas']['OutgoingWait']

/**
 * Shows halts, refusals and waits of outgoing transactions. The page can change none of them, so that access
 * to an operator's browser is not enough to release money.
 */
export function OutgoingPage() {
  const { data: state, error } = useApi('getOutgoingState', {}, { everyMs: 5_000 })
  return (
    <Page
      title="Outgoing transactions"
      description="Halts, refusals and waits of outgoing transactions, and those in progress. Halts and refusals are resolved on the host only, so that access to your browser is not enough to release money."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {state === undefined && error === null && (
        <Card>
          <SkeletonLines count={4} />
        </Card>
      )}
      {state !== undefined && (
        <>
          {state.halts.map((halt) => (
            <HaltCard key={halt.cause} halt={halt} />
          ))}
          <BooksProof state={state} />
          {state.refused.length > 0 && <RefusedCard state={state} />}
          {state.waits.length > 0 && <WaitsCard waits={state.waits} />}
          <OpenCard open={state.open} />
        </>
      )}
    </Page>
  )
}

function HaltCard({ halt: { cause, detail, since } }: { halt: Halt }) {
  const { title, meaning, first } = haltWords[cause]
  return (
    <Card title={title} description={meaning} actions={<Badge tone="bad">halted</Badge>}>
      <Facts>
        <Fact name="Finding">{detail}</Fact>
        <Fact name="Since">
          <Moment at={since} />
        </Fact>
        <Fact name="First step">{first}</Fact>
      </Facts>
      <HostCommand command={`coffer payouts resume ${cause} --reason "..."`} what="resume command">
        Then resume on the host. Refused transactions are tried again:
      </HostCommand>
    </Card>
  )
}

function RefusedCard({ state: { refused, refusedTotal } }: { state: State }) {
  const rest = refusedTotal - refused.length
  return (
    <Card
      title="Refused by the signer"
      description="Nothing was signed for these transactions. Dropping one releases its funds: a withdrawal fails, and its amount is available to the merchant again."
      isFlush
    >
      <ul className="divide-y divide-line">
        {refused.map((one) => (
          <RefusedOutgoingTransaction key={one.id} refused={one} />
        ))}
        {rest > 0 && (
          <li className="p-4 text-ink-soft sm:px-5">
            And {rest} more. To list them, run coffer payouts list on the host.
          </li>
        )}
      </ul>
    </Card>
  )
}

function RefusedOutgoingTransaction({ refused }: { refused: Refused }) {
  const { id, network, kind, code, detail, refusedAt, retryAt } = refused
  return (
    <li className="grid gap-2.5 p-4 sm:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="font-medium">
          {kindWords(kind)} on <NetworkName network={network} />
        </p>
        <Badge tone={retryAt === null ? 'bad' : 'warn'}>
          {retryAt === null ? 'needs a decision' : 'will be retried'}
        </Badge>
      </div>
      <div className="grid gap-1">
        <p>{refusalWords(code)}</p>
        <p className="text-ink-soft [overflow-wrap:anywhere]">{detail}</p>
        <p className="text-ink-soft">
          Refused <Moment at={refusedAt} />
          {retryAt !== null && (
            <>
              , retried from <Moment at={retryAt} />
            </>
          )}
        </p>
      </div>
      <HostCommand command={`coffer payouts drop ${id} --reason "..."`} what="drop command">
        To drop it, run on the host:
      </HostCommand>
    </li>
  )
}

function WaitsCard({ waits }: { waits: readonly Wait[] }) {
  return (
    <Card title="Waits" description="Most of these end by themselves once their cause is gone." isFlush>
      <ul className="divide-y divide-line">
        {waits.map(({ network, cause, detail, since }) => {
          const { title, meaning } = waitWords(cause)
          return (
            <li key={`${network} ${cause}`} className="grid gap-1 p-4 sm:px-5">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
                <p className="font-medium">
                  {title}{' '}
                  <span className="font-normal text-ink-soft">
                    on <NetworkName network={network} />
                  </span>
                </p>
                <p className="text-ink-soft">
                  since <Moment at={since} />
                </p>
              </div>
              <p>{meaning}</p>
              <p className="text-ink-soft [overflow-wrap:anywhere]">{detail}</p>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function OpenCard({ open }: { open: State['open'] }) {
  return (
    <Card title="In progress" isFlush>
      <Table
        label="Outgoing transactions in progress"
        rows={open}
        keyOf={({ network, state }) => `${network} ${state}`}
        columns={[
          {
            head: 'State',
            cell: ({ network, state }) => (
              <div className="grid gap-0.5">
                {stageWords(state)}
                <span className="text-ink-soft">
                  on <NetworkName network={network} />
                </span>
              </div>
            ),
          },
          { head: 'Transactions', isFigure: true, cell: ({ count }) => count },
          { head: 'Oldest', isFigure: true, cell: ({ oldestSeconds }) => duration(oldestSeconds) },
        ]}
        empty={
          <EmptyState icon={OctagonPause} title="No outgoing transactions in progress">
            Withdrawals, treasury withdrawals and sweeps of deposits are listed here from when they are
            planned until their block is final.
          </EmptyState>
        }
      />
    </Card>
  )
}
