import type { components } from 'coffer-sdk'
import { Plus, Ruler } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { api, faultText } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { SetLimitDialog } from './set-limit-dialog.tsx'
import { MerchantFilter, TakeBackButton, TargetCell } from './target.tsx'

type Limit = components['schemas']['LimitOverride']

const limit = 20

/** What stands in place of the least amounts that are collected and withdrawn. */
export function LimitsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const [merchantID, setMerchantID] = useState<string>()
  const of = merchantID === undefined ? {} : { merchantID }
  const { data, error } = useApi('listOperatorLimits', { ...of, limit, page }, { keepsShown: true })
  const [isSetting, setSetting] = useState(false)
  const [ended, setEnded] = useState<Limit>()
  return (
    <Page
      title="Set limits"
      description="The least that is collected and withdrawn, where you have set something else than the defaults."
      actions={
        <Button onClick={() => setSetting(true)}>
          <Plus aria-hidden /> Set a limit
        </Button>
      }
    >
      <MerchantFilter
        onMerchant={(id) => {
          setMerchantID(id)
          onPage(1)
        }}
      />
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label="Limits that were set"
          rows={data?.data}
          keyOf={(one) => `${one.merchantID} ${one.paymentMethodID}`}
          columns={[
            { head: 'For', cell: (one) => <TargetCell {...one} /> },
            {
              head: 'At least',
              isFigure: true,
              cell: (one) => (
                <div className="grid gap-0.5">
                  <Least of="collect" value={one.minCollect} unit={one.currency} />
                  <Least of="withdraw" value={one.minWithdraw} unit={one.currency} />
                </div>
              ),
            },
            {
              head: 'Change',
              isFigure: true,
              cell: (one) => <TakeBackButton onClick={() => setEnded(one)} />,
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Ruler} title="The default limits hold">
              {merchantID === undefined
                ? 'Raise them where sending costs more than it is worth; for all merchants or one, in dollars or in one asset.'
                : 'Nothing was set for this merchant alone; what holds for all merchants holds for it too.'}
            </EmptyState>
          }
        />
      </Card>
      {isSetting && <SetLimitDialog onClose={() => setSetting(false)} />}
      {ended !== undefined && <TakeBackDialog ended={ended} onClose={() => setEnded(undefined)} />}
    </Page>
  )
}

function Least({ of, value, unit }: { of: string; value: string | null; unit: string }) {
  return (
    <span>
      <span className="text-ink-soft">{of}</span>{' '}
      {value === null ? 'default' : <Amount value={value} unit={unit} />}
    </span>
  )
}

function TakeBackDialog({ ended, onClose }: { ended: Limit; onClose(): void }) {
  const { merchantID, paymentMethodID } = ended
  const end = useAction(
    () =>
      api.deleteOperatorLimits({
        ...(merchantID === null ? {} : { merchantID }),
        ...(paymentMethodID === null ? {} : { paymentMethodID }),
      }),
    { done: 'The limits are taken back.', showsFault: true, onDone: onClose },
  )
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Take these limits back?"
      description="Both figures go. The next wider limit holds then: of the merchant, of the payment method, or the default."
      word="take back"
      action="Take them back"
      {...confirmed(end)}
    >
      <TargetCell {...ended} />
    </ConfirmDialog>
  )
}
