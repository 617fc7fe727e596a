import type { components } from 'coffer-sdk'
import { Landmark } from 'lucide-react'
import { Amount } from '../../design/amount.tsx'
import { Badge } from '../../design/badge.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { Table } from '../../design/table.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { faultText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { PayoutState } from './payout-state.tsx'

type Asset = components['schemas']['AssetFigures']

/** What is held of each asset, to whom it belongs, and whether the one covers the other. */
export function TreasuryPage() {
  const { data, error } = useApi('getTreasury', {}, { everyMs: 5_000 })
  const [first, ...rest] = (data?.assets ?? []).map((asset) => ({
    id: String(asset.paymentMethodID),
    label: `${asset.symbol}${asset.isSolvent ? '' : ' !'}`,
    content: <AssetCards asset={asset} />,
  }))
  return (
    <Page
      title="Treasury"
      description="What is held, whom it belongs to, and whether the one covers the other."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      {data === undefined && error === null && (
        <Card>
          <SkeletonLines count={6} />
        </Card>
      )}
      <PayoutState />
      {first !== undefined && <Tabs label="Assets" tabs={[first, ...rest]} />}
    </Page>
  )
}

function AssetCards({ asset }: { asset: Asset }) {
  const { symbol, liabilities, own, queue } = asset
  const figure = (value: string) => <Amount value={value} unit={symbol} />
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card
          title="Held"
          description={`on ${asset.network}`}
          actions={
            <Badge tone={asset.isSolvent ? 'good' : 'bad'}>
              {asset.isSolvent ? 'solvent' : 'not covered'}
            </Badge>
          }
        >
          <Facts>
            <Fact name="By the books">{figure(asset.custody)}</Fact>
            <Fact name="In hot wallets">{figure(asset.hotWallet)}</Fact>
            <Fact name="At payment addresses">{figure(asset.depositAddresses)}</Fact>
            <Fact name="Not confirmed yet">{figure(asset.pendingDeposits)}</Fact>
            <Fact name="Leaving">{figure(asset.leaving)}</Fact>
          </Facts>
        </Card>
        <Card title="Belongs to others">
          <Facts>
            <Fact name="All of it">{figure(liabilities.total)}</Fact>
            <Fact name="Available">{figure(liabilities.available)}</Fact>
            <Fact name="Being withdrawn">{figure(liabilities.held)}</Fact>
            <Fact name="In quarantine">{figure(liabilities.quarantine)}</Fact>
            <Fact name="Below the minimum">{figure(liabilities.belowMinimum)}</Fact>
            <Fact name="Unattributed">{figure(liabilities.unattributed)}</Fact>
          </Facts>
        </Card>
        <Card title="Your own">
          <Facts>
            <Fact name="Free to use">{figure(own.free)}</Fact>
            <Fact name="Capital">{figure(own.capital)}</Fact>
            <Fact name="Fees earned">{figure(own.fees)}</Fact>
            <Fact name="Network fees paid">{figure(own.networkFees)}</Fact>
            <Fact name="Forfeited">{figure(own.forfeited)}</Fact>
            <Fact name="Owed by merchants">{figure(asset.owedByMerchants)}</Fact>
          </Facts>
        </Card>
        <Card title="Waiting to be paid out">
          <Facts>
            <Fact name="Withdrawals">{queue.withdrawals}</Fact>
            <Fact name="Together">{figure(queue.amount)}</Fact>
            <Fact name="The oldest waits">{Math.round(queue.oldestSeconds)} s</Fact>
            <Fact name="Wallet lacks">{figure(queue.shortfall)}</Fact>
          </Facts>
        </Card>
      </div>
      <HotWallets asset={asset} />
    </>
  )
}

function HotWallets({ asset }: { asset: Asset }) {
  return (
    <Card title="Hot wallets" isFlush>
      <Table
        label="Hot wallets"
        rows={asset.lanes}
        keyOf={({ address }) => address}
        columns={[
          { head: 'Lane', cell: ({ lane }) => lane },
          {
            head: 'Address',
            cell: ({ address }) => <Copyable value={address} what="address" isShortened />,
          },
          {
            head: 'Balance',
            isFigure: true,
            cell: ({ balance }) => <Amount value={balance} unit={asset.symbol} />,
          },
          { head: 'At height', isFigure: true, cell: ({ height }) => height, isWide: true },
        ]}
        empty={
          <EmptyState icon={Landmark} title="Not measured yet">
            The wallets' balances are read from the node every so often.
          </EmptyState>
        }
      />
    </Card>
  )
}
