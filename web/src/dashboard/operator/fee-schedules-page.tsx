import type { components } from 'coffer-sdk'
import { Percent, Plus } from 'lucide-react'
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
import { feeTypeLabel, SetFeeDialog } from './set-fee-dialog.tsx'
import { MerchantFilter, TakeBackButton, TargetCell } from './target.tsx'

type Schedule = components['schemas']['FeeSchedule']

const limit = 20

/** What stands in place of the default fees. */
export function FeeSchedulesPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const [merchantID, setMerchantID] = useState<string>()
  const of = merchantID === undefined ? {} : { merchantID }
  const { data, error } = useApi('listOperatorFees', { ...of, limit, page }, { keepsShown: true })
  const [isSetting, setSetting] = useState(false)
  const [ended, setEnded] = useState<Schedule>()
  return (
    <Page
      title="Set fees"
      description="What a payment costs where you have set something else than the defaults. Payments that were seen keep the terms they had."
      actions={
        <Button onClick={() => setSetting(true)}>
          <Plus aria-hidden /> Set a fee
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
          label="Fees that were set"
          rows={data?.data}
          keyOf={({ type, ...target }) => `${type} ${target.merchantID} ${target.paymentMethodID}`}
          columns={[
            {
              head: 'For',
              cell: (schedule) => (
                <>
                  <p className="font-medium md:hidden">{feeTypeLabel(schedule.type)}</p>
                  <TargetCell {...schedule} />
                </>
              ),
            },
            { head: 'Of', cell: ({ type }) => feeTypeLabel(type), isWide: true },
            { head: 'Fee', isFigure: true, cell: (schedule) => <FeeTerms {...schedule} /> },
            {
              head: 'Change',
              isFigure: true,
              cell: (schedule) => <TakeBackButton onClick={() => setEnded(schedule)} />,
            },
          ]}
          paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
          empty={
            <EmptyState icon={Percent} title="The default fees hold">
              {merchantID === undefined
                ? 'Set one for all merchants or for one, in every payment method or in one. The closest one holds.'
                : 'Nothing was set for this merchant alone; what holds for all merchants holds for it too.'}
            </EmptyState>
          }
        />
      </Card>
      {isSetting && <SetFeeDialog onClose={() => setSetting(false)} />}
      {ended !== undefined && <TakeBackDialog schedule={ended} onClose={() => setEnded(undefined)} />}
    </Page>
  )
}

function FeeTerms({ percent, flat, currency }: Pick<Schedule, 'percent' | 'flat' | 'currency'>) {
  return (
    <>
      <span className="figures">{percent} %</span> + <Amount value={flat} unit={currency} />
    </>
  )
}

function TakeBackDialog({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const { type, merchantID, paymentMethodID } = schedule
  const end = useAction(
    () =>
      api.deleteOperatorFees({
        type,
        ...(merchantID === null ? {} : { merchantID }),
        ...(paymentMethodID === null ? {} : { paymentMethodID }),
      }),
    { done: 'The fee is taken back.', showsFault: true, onDone: onClose },
  )
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Take this fee back?"
      description="From the next payment on, the next wider fee holds: of the merchant, of the payment method, or the default."
      word="take back"
      action="Take it back"
      {...confirmed(end)}
    >
      <div className="grid gap-1">
        <p className="font-medium">{feeTypeLabel(type)}</p>
        <TargetCell {...schedule} />
        <p>
          <FeeTerms {...schedule} />
        </p>
      </div>
    </ConfirmDialog>
  )
}
