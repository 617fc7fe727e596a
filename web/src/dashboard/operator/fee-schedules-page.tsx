import type { components } from 'coffer-sdk'
import { Percent } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { isSomething } from '../../design/format-amount.ts'
import { api } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { OverridesPage, overridesPerPage } from './overrides-page.tsx'
import { feeTypeLabel, SetFeeDialog } from './set-fee-dialog.tsx'
import { ofMerchant, ofTarget, TargetCell } from './target.tsx'

type Schedule = components['schemas']['FeeSchedule']

/** What stands in place of the default fees. */
export function FeeSchedulesPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const [merchantID, setMerchantID] = useState<string>()
  const query = { ...ofMerchant(merchantID), limit: overridesPerPage, page }
  const found = useApi('listOperatorFees', query, { keepsShown: true })
  return (
    <OverridesPage
      title="Set fees"
      description="What a payment costs where you have set something else than the defaults. Payments that were seen keep the terms they had."
      found={found}
      page={page}
      onPage={onPage}
      merchantID={merchantID}
      onMerchant={setMerchantID}
      label="Fees that were set"
      keyOf={({ type, ...target }) => `${type} ${target.merchantID} ${target.paymentMethodID}`}
      columns={[
        {
          head: 'For',
          cell: (schedule) => (
            <>
              <p className="text-ink-soft first-letter:uppercase md:hidden">{feeTypeLabel(schedule.type)}</p>
              <TargetCell {...schedule} />
            </>
          ),
        },
        {
          head: 'Of',
          cell: ({ type }) => <p className="first-letter:uppercase">{feeTypeLabel(type)}</p>,
          isWide: true,
        },
        { head: 'Fee', isFigure: true, cell: (schedule) => <FeeTerms {...schedule} /> },
      ]}
      empty={{
        icon: Percent,
        title: 'The default fees hold',
        hint: 'Set one for all merchants or for one, in every payment method or in one. The closest one holds.',
      }}
      setLabel="Set a fee"
      setDialog={(onClose) => <SetFeeDialog onClose={onClose} />}
      takeBackDialog={(schedule, onClose) => <TakeBackDialog schedule={schedule} onClose={onClose} />}
    />
  )
}

function FeeTerms({ percent, flat, currency }: Pick<Schedule, 'percent' | 'flat' | 'currency'>) {
  if (!isSomething(flat)) return <Percentage of={percent} />
  if (!isSomething(percent)) return <Amount value={flat} unit={currency} />
  return (
    <>
      <Percentage of={percent} /> + <Amount value={flat} unit={currency} />
    </>
  )
}

function Percentage({ of }: { of: string }) {
  return <span className="figures">{of} %</span>
}

function TakeBackDialog({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const { type } = schedule
  const end = useAction(() => api.deleteOperatorFees({ type, ...ofTarget(schedule) }), {
    done: 'The fee is taken back.',
    showsFault: true,
    onDone: onClose,
  })
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
