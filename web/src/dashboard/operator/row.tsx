import type { ReactNode } from 'react'
import { Copyable } from '../../design/copyable.tsx'

/** The buttons of a table row: side by side on a desktop, stacked on a phone. */
export function Decisions({ children }: { children: ReactNode }) {
  return <div className="inline-grid gap-1.5 md:inline-flex md:justify-end">{children}</div>
}

interface MerchantProps {
  readonly merchantID: string
  readonly merchantName: string | null
}

/** Shows the name of a merchant. On a desktop, also shows the ID, which can be copied into forms. */
export function MerchantCell({ merchantID, merchantName }: MerchantProps) {
  return (
    <div className="grid gap-0.5">
      <MerchantName merchantID={merchantID} merchantName={merchantName} />
      <span className="text-ink-soft max-md:hidden">
        <Copyable value={merchantID} what="merchant ID" isShortened />
      </span>
    </div>
  )
}

export function MerchantName({ merchantID, merchantName }: MerchantProps) {
  return (
    <span title={merchantID} className="font-medium [overflow-wrap:anywhere]">
      {merchantName ?? 'Unnamed merchant'}
    </span>
  )
}
