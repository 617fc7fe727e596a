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

/** Lists the fees that override the default fees. */
export function FeeSchedulesPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const [merchantID, setMerchantID] = useState<string>()
  const query = { ...ofMerchant(merchantID), limit: overridesPerPage, page }
  const found = useApi('listOperatorFees', query, { keepsPreviousData: true })
  return (
    <OverridesPage
      title="Fees"
      description="Fees that replace the defaults. A change does not affect payments that were already seen."
      found={found}
      page={page}
      onPage={onPage}
      merchantID={merchantID}
      onMerchant={setMerchantID}
      label="Custom fees"
      keyOf={({ type, ...target }) => `${type} ${target.merchantID} ${target.paymentMethodID}`}
      columns={[
        {
          head: 'Applies to',
          cell: (schedule) => (
            <>
              <p className="text-ink-soft first-letter:uppercase md:hidden">{feeTypeLabel(schedule.type)}</p>
              <TargetCell {...schedule} />
            </>
          ),
        },
        {
          head: 'Type',
          cell: ({ type }) => <p className="first-letter:uppercase">{feeTypeLabel(type)}</p>,
          isWide: true,
        },
        { head: 'Fee', isFigure: true, cell: (schedule) => <FeeTerms {...schedule} /> },
      ]}
      empty={{
        icon: Percent,
        title: 'Default fees apply',
        hint: 'Set a fee for all merchants or one, and for all payment methods or one. The most specific fee applies.',
      }}
      setLabel="Set fee"
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
    done: 'The fee is removed.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Remove this fee?"
      description="From the next payment on, the next more general fee applies: that of the merchant, that of the payment method, or the default."
      word="remove"
      action="Remove fee"
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
