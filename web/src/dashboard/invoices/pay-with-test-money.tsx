import { FlaskConical } from 'lucide-react'
import { Button } from '../../design/button.tsx'
import { api } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { useAction } from '../use-api.ts'
import type { InvoiceRecord } from './invoice-record.ts'

/** Pays an invoice in a sandbox, so that a merchant can see a complete payment without a wallet. */
export function PayWithTestMoney({ invoice }: { invoice: InvoiceRecord }) {
  const { id: merchantID } = useMerchant()
  const pay = useAction(() => api.payInvoiceInSandbox({ merchantID, invoiceID: invoice.id, body: {} }), {
    done: 'The test payment is sent. It appears here in a moment.',
  })
  return (
    <Button isBusy={pay.isPending} onClick={() => pay.mutate(undefined)}>
      <FlaskConical aria-hidden /> Pay with test money
    </Button>
  )
}
