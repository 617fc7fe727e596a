import type { components } from 'coffer-sdk'
import { Ruler } from 'lucide-react'
import { useState } from 'react'
import { Amount } from '../../design/amount.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { api } from '../client.ts'
import { confirmed, useAction, useApi } from '../use-api.ts'
import { OverridesPage, overridesPerPage } from './overrides-page.tsx'
import { SetLimitDialog } from './set-limit-dialog.tsx'
import { ofMerchant, ofTarget, TargetCell } from './target.tsx'

type Limit = components['schemas']['LimitOverride']

/** Lists the limits that override the default minimums of invoices and withdrawals. */
export function LimitsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const [merchantID, setMerchantID] = useState<string>()
  const query = { ...ofMerchant(merchantID), limit: overridesPerPage, page }
  const found = useApi('listOperatorLimits', query, { keepsPreviousData: true })
  return (
    <OverridesPage
      title="Limits"
      description="Minimum amounts of collections and withdrawals that replace the defaults."
      found={found}
      page={page}
      onPage={onPage}
      merchantID={merchantID}
      onMerchant={setMerchantID}
      label="Custom limits"
      keyOf={(one) => `${one.merchantID} ${one.paymentMethodID}`}
      columns={[
        { head: 'Applies to', cell: (one) => <TargetCell {...one} /> },
        {
          head: 'Minimums',
          isFigure: true,
          cell: (one) => (
            <div className="grid gap-0.5">
              <Least of="collection" value={one.minCollect} unit={one.currency} />
              <Least of="withdrawal" value={one.minWithdraw} unit={one.currency} />
            </div>
          ),
        },
      ]}
      empty={{
        icon: Ruler,
        title: 'Default limits apply',
        hint: 'Raise the minimums if small amounts are not worth their network fees. Set them for all merchants or one, in dollars or in one asset.',
      }}
      setLabel="Set limits"
      setDialog={(onClose) => <SetLimitDialog onClose={onClose} />}
      takeBackDialog={(ended, onClose) => <TakeBackDialog ended={ended} onClose={onClose} />}
    />
  )
}

function Least({ of, value, unit }: { of: string; value: string | null; unit: string }) {
  return (
    <span className="whitespace-nowrap">
      <span className="text-ink-soft">{of}</span>{' '}
      {value === null ? 'default' : <Amount value={value} unit={unit} />}
    </span>
  )
}

function TakeBackDialog({ ended, onClose }: { ended: Limit; onClose(): void }) {
  const end = useAction(() => api.deleteOperatorLimits(ofTarget(ended)), {
    done: 'The limits are removed.',
    showsError: true,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Remove these limits?"
      description="Both minimums are removed. The next more general limit then applies: that of the merchant, that of the payment method, or the default."
      word="remove"
      action="Remove limits"
      {...confirmed(end)}
    >
      <TargetCell {...ended} />
    </ConfirmDialog>
  )
}
