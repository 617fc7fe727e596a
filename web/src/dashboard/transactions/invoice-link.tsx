import { Link } from '@tanstack/react-router'
import { Amount } from '../../design/amount.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'

interface PaymentProps {
  readonly amount: string
  readonly currency?: string | undefined
  readonly invoiceID: string
}

/** Shows the amount of a payment. The whole table row links to its invoice. */
export function InvoiceLink({ amount, currency, invoiceID }: PaymentProps) {
  const { id: merchantID } = useMerchant()
  return (
    <Link
      to="/m/$merchantID/invoices/$invoiceID"
      params={{ merchantID, invoiceID }}
      className="font-medium after:absolute after:inset-0"
    >
      <Amount value={amount} unit={currency} />
    </Link>
  )
}
