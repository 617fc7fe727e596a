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
import { faultText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { HostCommand } from './host-command.tsx'
import { BooksProof } from './payout-state.tsx'
import { haltWords, kindWords, refusalWords, stageWords, waitWords } from './payout-words.ts'

type State = ReplyOf<'getPayoutState'>
type Halt = components['schemas']['PayoutHalt']
type Refused = components['schemas']['RefusedPayout']
type Wait = components['schemas']['PayoutWait']

/** What keeps money from leaving. It shows and decides nothing: whoever gets into a browser lets no money out. */
export function PayoutsPage() {
  const { data: state, error } = useApi('getPayoutState', {}, { everyMs: 5_000 })
  return (
    <Page
      title="Payouts"
      description="What keeps money from leaving, and what is on its way. What stops it is decided on the host alone, so that nobody who gets into your browser can let money out."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
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
    <Card title={title} description={meaning} actions={<Badge tone="bad">payouts are halted</Badge>}>
      <Facts>
        <Fact name="What was found">{detail}</Fact>
        <Fact name="Since">
          <Moment at={since} />
        </Fact>
        <Fact name="What to do first">{first}</Fact>
      </Facts>
      <HostCommand command={`coffer payouts resume ${cause} --reason "..."`} what="the command that resumes">
        Then let payouts go on, on the host. What was refused is tried again.
      </HostCommand>
    </Card>
  )
}

function RefusedCard({ state: { refused, refusedTotal } }: { state: State }) {
  const rest = refusedTotal - refused.length
  return (
    <Card
      title="Refused by the signer"
      description="Nothing was signed for these. Giving one up frees what it was to move: a withdrawal fails, and its money is available to the merchant again."
      isFlush
    >
      <ul className="divide-y divide-line">
        {refused.map((one) => (
          <RefusedPayout key={one.id} refused={one} />
        ))}
        {rest > 0 && (
          <li className="p-4 text-ink-soft sm:px-5">
            And {rest} more: coffer payouts list tells them, on the host.
          </li>
        )}
      </ul>
    </Card>
  )
}

function RefusedPayout({ refused }: { refused: Refused }) {
  const { id, network, kind, code, detail, refusedAt, retryAt } = refused
  return (
    <li className="grid gap-2.5 p-4 sm:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="font-medium">
          {kindWords(kind)} on {network}
        </p>
        <Badge tone={retryAt === null ? 'bad' : 'warn'}>
          {retryAt === null ? 'waits for you' : 'is tried again'}
        </Badge>
      </div>
      <div className="grid gap-1">
        <p>{refusalWords(code)}</p>
        <p className="text-ink-soft [overflow-wrap:anywhere]">{detail}</p>
        <p className="text-ink-soft">
          Refused <Moment at={refusedAt} />
          {retryAt !== null && (
            <>
              , tried again from <Moment at={retryAt} />
            </>
          )}
        </p>
      </div>
      <HostCommand command={`coffer payouts drop ${id} --reason "..."`} what="the command that gives it up">
        Give it up, on the host:
      </HostCommand>
    </li>
  )
}

function WaitsCard({ waits }: { waits: readonly Wait[] }) {
  return (
    <Card title="Waits" description="These pass by themselves once what they wait for is there." isFlush>
      <ul className="divide-y divide-line">
        {waits.map(({ network, cause, detail, since }) => {
          const { title, meaning } = waitWords(cause)
          return (
            <li key={`${network} ${cause}`} className="grid gap-1 p-4 sm:px-5">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
                <p className="font-medium">
                  {title} <span className="font-normal text-ink-soft">on {network}</span>
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
    <Card title="On their way" isFlush>
      <Table
        label="Payouts on their way"
        rows={open}
        keyOf={({ network, state }) => `${network} ${state}`}
        columns={[
          {
            head: 'State',
            cell: ({ network, state }) => (
              <div className="grid gap-0.5">
                {stageWords(state)}
                <span className="text-ink-soft">on {network}</span>
              </div>
            ),
          },
          { head: 'Transactions', isFigure: true, cell: ({ count }) => count },
          { head: 'Oldest', isFigure: true, cell: ({ oldestSeconds }) => duration(oldestSeconds) },
        ]}
        empty={
          <EmptyState icon={OctagonPause} title="Nothing is on its way out">
            A withdrawal, a take-out or a collection of deposits shows here from its plan until its block is
            final.
          </EmptyState>
        }
      />
    </Card>
  )
}
