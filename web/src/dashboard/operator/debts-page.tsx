import type { components } from 'coffer-sdk'
import { HandCoins } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, faultText, fieldFault } from '../client.ts'
import { useAction, useApi } from '../use-api.ts'
import { useOnce } from '../use-once.ts'
import { ReviewDialog } from './review-dialog.tsx'

type Asset = components['schemas']['AssetFigures']

/** What merchants owe, and how an operator bears it. */
export function DebtsPage() {
  const { data, error } = useApi('getTreasury', {}, { everyMs: 5_000 })
  const [asset, setAsset] = useState<Asset>()
  return (
    <Page
      title="Debts"
      description="What merchants owe because a payment was taken back after they had withdrawn it. Their payouts wait until it is repaid, by what comes in next, or written off."
    >
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="What merchants owe"
          rows={data?.assets.filter(({ owedByMerchants }) => isSomething(owedByMerchants))}
          keyOf={({ paymentMethodID }) => paymentMethodID}
          columns={[
            {
              head: 'Owed together',
              cell: ({ owedByMerchants, symbol }) => <Amount value={owedByMerchants} unit={symbol} />,
            },
            { head: 'Network', cell: ({ network }) => network },
            {
              head: 'Your capital',
              isFigure: true,
              cell: ({ own, symbol }) => <Amount value={own.capital} unit={symbol} />,
              isWide: true,
            },
            {
              head: 'Decide',
              isFigure: true,
              cell: (one) => (
                <Button look="secondary" onClick={() => setAsset(one)}>
                  Write off
                </Button>
              ),
            },
          ]}
          empty={
            <EmptyState icon={HandCoins} title="Nobody owes anything">
              Where the chain takes back a payment whose money is gone already, what is missing shows here.
              Only you can bear it.
            </EmptyState>
          }
        />
      </Card>
      {asset !== undefined && <WriteOffDialog asset={asset} onClose={() => setAsset(undefined)} />}
    </Page>
  )
}

function WriteOffDialog({ asset, onClose }: { asset: Asset; onClose(): void }) {
  const { paymentMethodID, symbol, network } = asset
  const [merchantID, setMerchantID] = useState('')
  const once = useOnce()
  const order = useAction(
    () => once(api.writeOffDebt, { body: { merchantID: merchantID.trim(), paymentMethodID } }),
    { done: 'The debt is written off.', showsFault: true, onDone: onClose },
  )
  return (
    <ReviewDialog
      title="Write a debt off"
      description={`All that one merchant owes in ${symbol} on ${network} is borne by your capital; its payouts are free again.`}
      consequence="The merchant owes nothing more, and you are that much poorer. This cannot be taken back."
      word="write off"
      action="Write it off"
      order={order}
      onClose={onClose}
      review={
        <Facts>
          <Fact name="Merchant">
            <code className="font-mono text-[0.8125rem]">{merchantID.trim()}</code>
          </Fact>
          <Fact name="Asset">
            {symbol} on {network}
          </Fact>
          <Fact name="Amount">
            all it owes; all merchants together <Amount value={asset.owedByMerchants} unit={symbol} />
          </Fact>
        </Facts>
      }
    >
      <TextField
        label="Merchant ID"
        value={merchantID}
        onValue={setMerchantID}
        className="font-mono"
        autoComplete="off"
        spellCheck={false}
        fault={fieldFault(order.error, 'merchantID')}
        required
      />
    </ReviewDialog>
  )
}
