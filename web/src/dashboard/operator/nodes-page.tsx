import type { components } from 'coffer-sdk'
import { Network } from 'lucide-react'
import { Badge } from '../../design/badge.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { faultText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { HostCommand } from './host-command.tsx'

export function NodesPage() {
  const { data, error } = useApi('listNodes', {}, { everyMs: 3_000 })
  return (
    <Page
      title="Nodes and lag"
      description="How far each chain is read. A payment is seen once its block is."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      {data === undefined && error === null && (
        <Card>
          <SkeletonLines count={5} />
        </Card>
      )}
      {data?.nodes.length === 0 && (
        <Card isFlush>
          <EmptyState icon={Network} title="No chain is followed">
            Name a node in the settings, such as EVM_RPC_ETHEREUM.
          </EmptyState>
        </Card>
      )}
      {data?.nodes.map((node) => (
        <Card
          key={node.network}
          title={node.network}
          actions={<Badge tone={node.ready ? 'good' : 'bad'}>{node.ready ? 'ready' : 'behind'}</Badge>}
        >
          {node.obstacle !== null && <Notice tone="warn">{node.obstacle}</Notice>}
          {node.failure !== null && (
            <Notice tone="bad" title={`Failing for ${Math.round(node.failure.failingSeconds)} s`}>
              {node.failure.message}
            </Notice>
          )}
          {node.depositsPaused !== null && (
            <PausedDeposits network={node.network} pause={node.depositsPaused} />
          )}
          <Facts>
            <Fact name="Read to">
              <span className="figures">{node.height ?? 'nothing yet'}</span>
            </Fact>
            <Fact name="Head of the chain">
              <span className="figures">{node.headHeight ?? 'unknown'}</span>
            </Fact>
            <Fact name="Behind by">
              <span className="figures">{node.lagBlocks ?? '?'} blocks</span>
            </Fact>
            <Fact name="Last heard of">
              <span className="figures">
                {node.heardSecondsAgo === null ? 'never' : `${Math.round(node.heardSecondsAgo)} s ago`}
              </span>
            </Fact>
            {node.depositsPaused !== null && (
              <Fact name="Paused since">
                <Moment at={node.depositsPaused.since} />
              </Fact>
            )}
          </Facts>
        </Card>
      ))}
    </Page>
  )
}

interface PausedProps {
  readonly network: string
  readonly pause: NonNullable<components['schemas']['ChainState']['depositsPaused']>
}

function PausedDeposits({ network, pause: { depth, untilHeight } }: PausedProps) {
  return (
    <>
      <Notice tone="warn" title="Deposits are paused">
        A rearrangement of {depth} blocks was seen; they go on at height {untilHeight}.
      </Notice>
      <HostCommand
        command={`coffer deposits resume ${network} --reason "..."`}
        what="the command that resumes deposits"
      >
        To credit at once, once you have looked at what was taken back, on the host:
      </HostCommand>
    </>
  )
}
