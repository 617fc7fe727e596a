import { Link } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'

interface Step {
  readonly to: string
  readonly isDone: boolean
  readonly what: string
  readonly why: string
}

/** Shows the steps to set up a new merchant, until all are done or the user dismisses the card. */
export function FirstSteps() {
  const { id: merchantID, canChange } = useMerchant()
  const steps = useSteps()
  const [isDismissed, dismiss] = useDismissal(merchantID)
  if (!canChange || isDismissed || steps === undefined || steps.every(({ isDone }) => isDone)) return null
  return (
    <Card
      title="First steps"
      actions={
        <Button variant="quiet" onClick={dismiss}>
          Dismiss
        </Button>
      }
    >
      <ol className="grid gap-1">
        {steps.map((step) => (
          <li key={step.to}>
            <StepLink step={step} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

const payableTypes = ['onetime', 'reusable', 'collect'] as const

/** Returns the steps. Returns undefined until the dashboard knows which steps are done. */
function useSteps(): readonly Step[] | undefined {
  const { id: merchantID, merchant, isSandbox } = useMerchant()
  const key = useApi('getKeyInfo', { merchantID })
  const open = useApi('listInvoices', { merchantID, limit: 1, types: [...payableTypes], states: ['pending'] })
  const paid = useApi('listInvoices', { merchantID, limit: 1, types: [...payableTypes], states: ['paid'] })
  if (open.data === undefined || paid.data === undefined || key.isPending) return undefined
  const at = (page: string) => `/m/${merchantID}/${page}`
  const [unpaid] = open.data.data
  const isPaid = paid.data.total > 0
  return [
    {
      // The step is done only when an invoice is paid. If there is an unpaid invoice, the step links to that
      // invoice.
      to: unpaid === undefined || isPaid ? at('invoices/new') : at(`invoices/${unpaid.id}`),
      isDone: isPaid,
      what: unpaid === undefined ? 'Create an invoice and get paid' : 'Get your invoice paid',
      why: isSandbox ? 'with the test money on its page' : 'through its payment page',
    },
    {
      to: at('api-key'),
      isDone: key.data !== undefined,
      what: 'Generate an API key',
      why: 'so that your server can create invoices',
    },
    {
      to: at('webhook'),
      isDone: merchant.settings.webhookUrl !== null,
      what: 'Set up a webhook',
      why: 'so that your server is notified when they are paid',
    },
  ]
}

function StepLink({ step: { to, isDone, what, why } }: { step: Step }) {
  return (
    <Link to={to} className="flex items-center gap-3 rounded-lg p-2 hover:bg-band">
      {isDone ? (
        <span className="grid size-5 shrink-0 place-items-center rounded-full bg-good-soft text-good">
          <Check aria-label="done" className="size-3.5" />
        </span>
      ) : (
        <Circle aria-label="to do" className="size-5 shrink-0 text-ink-faint" />
      )}
      <span>
        <span className={isDone ? 'text-ink-soft line-through' : 'font-medium'}>{what}</span>{' '}
        <span className="text-ink-soft">{why}</span>
      </span>
    </Link>
  )
}

/**
 * Returns whether the card was dismissed, and a function that dismisses it. This is stored in the browser,
 * because it concerns the user and not the merchant.
 */
function useDismissal(merchantID: string): readonly [boolean, () => void] {
  const key = `coffer.first-steps.${merchantID}`
  const [dismissedKey, setDismissedKey] = useState<string>()
  const isDismissed = dismissedKey === key || localStorage.getItem(key) !== null
  return [
    isDismissed,
    () => {
      localStorage.setItem(key, 'dismissed')
      setDismissedKey(key)
    },
  ]
}
