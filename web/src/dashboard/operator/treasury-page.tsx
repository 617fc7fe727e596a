import type { components } from 'coffer-sdk'
import { Landmark } from 'lucide-react'
import type { ReactNode } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Badge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { duration } from '../../design/format-duration.ts'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { Table } from '../../design/table.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { errorText } from '../client.ts'
import { NetworkName, useNetworkTitles } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { OutgoingTransactionState } from './outgoing-state.tsx'

type Asset = components['schemas']['AssetFigures']

/**
 * Shows custody, liabilities and operator equity of each asset, and whether custody covers the liabilities.
 */
export function TreasuryPage() {
  const { data, error } = useApi('getTreasury', {}, { everyMs: 5_000 })
  const titleOf = useNetworkTitles()
  const assets = data?.assets ?? []
  const isAmbiguous = new Set(assets.map(({ symbol }) => symbol)).size < assets.length
  const [first, ...rest] = assets.map((asset) => ({
    id: String(asset.paymentMethodID),
    label: `${asset.symbol}${isAmbiguous ? ` on ${titleOf(asset.network)}` : ''}${asset.isSolvent ? '' : ', not covered'}`,
    content: <AssetCards asset={asset} />,
  }))
  return (
    <Page
      title="Treasury"
      description="Custody, liabilities and operator equity of each asset, and whether custody covers the liabilities."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {data === undefined && error === null && (
        <Card>
          <SkeletonLines count={6} />
        </Card>
      )}
      <OutgoingTransactionState />
      {first !== undefined && <Tabs label="Assets" tabs={[first, ...rest]} />}
    </Page>
  )
}

function AssetCards({ asset }: { asset: Asset }) {
  const { symbol, liabilities, own, queue } = asset
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        <SumCard
          title={
            <>
              Custody on <NetworkName network={asset.network} />
            </>
          }
          badge={
            <Badge tone={asset.isSolvent ? 'good' : 'bad'}>
              {asset.isSolvent ? 'solvent' : 'not covered'}
            </Badge>
          }
          total={asset.custody}
          symbol={symbol}
          parts={{
            'Hot wallets': asset.hotWallet,
            'Deposit addresses': asset.depositAddresses,
            'Unconfirmed deposits': asset.pendingDeposits,
            'Outgoing, not mined yet': asset.leaving,
          }}
        />
        <SumCard
          title="Liabilities"
          total={liabilities.total}
          symbol={symbol}
          parts={{
            'Available to merchants': liabilities.available,
            'Held for withdrawals': liabilities.held,
            'In quarantine': liabilities.quarantine,
            'Below the minimum': liabilities.belowMinimum,
            Unattributed: liabilities.unattributed,
          }}
        />
        <SumCard
          title="Operator equity"
          total={own.free}
          symbol={symbol}
          parts={{
            Capital: own.capital,
            'Fees earned': own.fees,
            'Network fees paid': own.networkFees,
            Forfeited: own.forfeited,
            'Owed by merchants': asset.owedByMerchants,
          }}
        />
        <SumCard
          title="Pending withdrawals"
          total={queue.amount}
          symbol={symbol}
          parts={{ 'Shortfall in hot wallets': queue.shortfall }}
        >
          <SumLine name="Withdrawals">{queue.withdrawals}</SumLine>
          <SumLine name="Oldest">{queue.withdrawals === 0 ? '–' : duration(queue.oldestSeconds)}</SumLine>
        </SumCard>
      </div>
      <HotWallets asset={asset} />
    </>
  )
}

interface SumProps {
  readonly title: ReactNode
  readonly badge?: ReactNode
  readonly total: string
  readonly symbol: string
  /** The amounts that add up to the total, by their labels. */
  readonly parts: Readonly<Record<string, string>>
  /** Further lines, whose values are not amounts. */
  readonly children?: ReactNode
}

/** Shows a total in large type and the amounts that it consists of below. Amounts of zero are faint. */
function SumCard({ title, badge, total, symbol, parts, children }: SumProps) {
  return (
    <Card title={title} actions={badge}>
      <div className="grid gap-2">
        <p className="text-[1.375rem] leading-tight font-semibold tracking-tight">
          <Amount value={total} unit={symbol} />
        </p>
        <dl className="divide-y divide-line">
          {children}
          {Object.entries(parts).map(([name, value]) => (
            <SumLine key={name} name={name}>
              <span className={isSomething(value) ? '' : 'text-ink-faint'}>
                <Amount value={value} unit={symbol} />
              </span>
            </SumLine>
          ))}
        </dl>
      </div>
    </Card>
  )
}

function SumLine({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 py-2 last:pb-0">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="figures ml-auto">{children}</dd>
    </div>
  )
}

function HotWallets({ asset }: { asset: Asset }) {
  return (
    <Card title="Hot wallets" isFlush>
      <Table
        label="Hot wallets"
        rows={asset.hotWallets}
        keyOf={({ address }) => address}
        columns={[
          { head: 'No.', cell: ({ index }) => index },
          {
            head: 'Address',
            cell: ({ address }) => <Copyable value={address} what="address" isShortened />,
          },
          {
            head: 'Balance',
            isFigure: true,
            cell: ({ balance }) => <Amount value={balance} unit={asset.symbol} />,
          },
          { head: 'Height', isFigure: true, cell: ({ height }) => height, isWide: true },
        ]}
        empty={
          <EmptyState icon={Landmark} title="Not measured yet">
            The wallets' balances are read from the node at intervals.
          </EmptyState>
        }
      />
    </Card>
  )
}
