import type { ReactNode } from 'react'
import { Copyable } from '../../design/copyable.tsx'

/** What can be done about a row: side by side on a desk, below each other in a hand. */
export function Decisions({ children }: { children: ReactNode }) {
  return <div className="inline-grid gap-1.5 md:inline-flex md:justify-end">{children}</div>
}

interface MerchantProps {
  readonly merchantID: string
  readonly merchantName: string | null
}

/** By its name; forms ask for the ID, which can be copied on a desk. */
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
      {merchantName ?? 'A merchant without a name'}
    </span>
  )
}
