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

/** What stands in place of the least amounts that are collected and withdrawn. */
export function LimitsPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const [merchantID, setMerchantID] = useState<string>()
  const query = { ...ofMerchant(merchantID), limit: overridesPerPage, page }
  const found = useApi('listOperatorLimits', query, { keepsShown: true })
  return (
    <OverridesPage
      title="Set limits"
      description="The least that is collected and withdrawn, where you have set something else than the defaults."
      found={found}
      page={page}
      onPage={onPage}
      merchantID={merchantID}
      onMerchant={setMerchantID}
      label="Limits that were set"
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
      ]}
      empty={{
        icon: Ruler,
        title: 'The default limits hold',
        hint: 'Raise them where sending costs more than it is worth; for all merchants or one, in dollars or in one asset.',
      }}
      setLabel="Set a limit"
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
    done: 'The limits are taken back.',
    showsFault: true,
    onDone: onClose,
  })
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
