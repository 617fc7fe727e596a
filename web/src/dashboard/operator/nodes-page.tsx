import type { components } from 'coffer-sdk'
import { Network } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { groupDigits } from '../../design/format-amount.ts'
import { duration } from '../../design/format-duration.ts'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { errorText } from '../client.ts'
import { NetworkName } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { HostCommand } from './host-command.tsx'

export function NodesPage() {
  const { data, error } = useApi('listNodes', {}, { everyMs: 3_000 })
  return (
    <Page
      title="Nodes"
      description="How far each chain is processed. Payments in a block are processed with the block."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {data === undefined && error === null && (
        <Card>
          <SkeletonLines count={5} />
        </Card>
      )}
      {data?.nodes.length === 0 && (
        <Card isFlush>
          <EmptyState icon={Network} title="No chains are followed">
            Configure a node in the settings, such as EVM_RPC_ETHEREUM.
          </EmptyState>
        </Card>
      )}
      {data?.nodes.map((node) => (
        <Card
          key={node.network}
          title={<NetworkName network={node.network} />}
          actions={
            <Badge tone={node.ready ? 'good' : 'bad'}>
              {node.ready ? 'ready' : node.failure === null ? 'behind' : 'failing'}
            </Badge>
          }
        >
          {node.obstacle !== null && node.failure === null && <Notice tone="warn">{node.obstacle}</Notice>}
          {node.failure !== null && (
            <Notice tone="bad" title={`Failing for ${duration(node.failure.failingSeconds)}`}>
              {node.failure.message}
            </Notice>
          )}
          {node.depositsPaused !== null && (
            <PausedDeposits network={node.network} pause={node.depositsPaused} />
          )}
          {node.internalTransfers === 'late' && (
            <Notice tone="note">
              The nodes report no call traces. Coin that contracts send is credited when its block is final,
              as found by balance.
            </Notice>
          )}
          <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
            <Measure name="Processed height">{height(node.height) ?? 'none yet'}</Measure>
            <Measure name="Chain head">{height(node.headHeight) ?? 'unknown'}</Measure>
            <Measure name="Lag">{lag(node.failure === null ? node.lagBlocks : null)}</Measure>
            <Measure name="Last response">
              {node.heardSecondsAgo === null ? 'never' : `${duration(node.heardSecondsAgo)} ago`}
            </Measure>
          </dl>
        </Card>
      ))}
    </Page>
  )
}

interface PausedProps {
  readonly network: string
  readonly pause: NonNullable<components['schemas']['ChainState']['depositsPaused']>
}

function PausedDeposits({ network, pause: { depth, untilHeight, since } }: PausedProps) {
  return (
    <>
      <Notice tone="warn" title="Deposits are paused">
        A reorganisation of {depth} blocks was seen. Deposits resume at height {height(untilHeight)}. Paused
        since <Moment at={since} />.
      </Notice>
      <HostCommand command={`coffer deposits resume ${network} --reason "..."`} what="resume command">
        To credit deposits now, check what the reorganisation reversed, then run on the host:
      </HostCommand>
    </>
  )
}

function Measure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-0.5">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="figures text-base font-medium">{children}</dd>
    </div>
  )
}

function height(block: number | null): string | undefined {
  return block === null ? undefined : groupDigits(String(block))
}

function lag(blocks: number | null): string {
  if (blocks === null) return 'unknown'
  return blocks === 1 ? '1 block' : `${groupDigits(String(blocks))} blocks`
}
