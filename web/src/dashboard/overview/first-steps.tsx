import { Link } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import { Card } from '../../design/card.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useApi } from '../use-api.ts'

/** Shown until the first payment has come: what is still between a new merchant and money. */
export function FirstSteps() {
  const { id: merchantID, merchant, canChange } = useMerchant()
  const key = useApi('getKeyInfo', { merchantID })
  const invoices = useApi('listInvoices', { merchantID, limit: 1 })
  const payments = useApi('listTransactions', { merchantID, limit: 1, body: {} })
  const hasPayment = (payments.data?.total ?? 1) > 0
  if (!canChange || hasPayment || invoices.data === undefined || key.isPending) return null
  const at = (page: string) => `/m/${merchantID}/${page}`
  const steps = [
    {
      to: at('api-key'),
      isDone: key.data !== undefined,
      what: 'Generate an API key',
      why: 'so that your server can make invoices',
    },
    {
      to: at('webhook'),
      isDone: merchant.settings.webhookUrl !== null,
      what: 'Set a webhook',
      why: 'so that it is told when they are paid',
    },
    {
      to: at('invoices/new'),
      isDone: invoices.data.total > 0,
      what: 'Make your first invoice',
      why: 'and pay it yourself, to see all of it once',
    },
  ]
  return (
    <Card title="First steps">
      <ol className="grid gap-1">
        {steps.map(({ to, isDone, what, why }) => (
          <li key={to}>
            <Link to={to} className="flex items-center gap-3 rounded-lg p-2 hover:bg-band">
              {isDone ? (
                <span className="grid size-5 place-items-center rounded-full bg-good-soft text-good">
                  <Check aria-label="done" className="size-3.5" />
                </span>
              ) : (
                <Circle aria-label="to do" className="size-5 text-ink-faint" />
              )}
              <span>
                <span className={isDone ? 'text-ink-soft line-through' : 'font-medium'}>{what}</span>{' '}
                <span className="text-ink-soft">{why}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}
