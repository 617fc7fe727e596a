import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { classNames } from './class-names.ts'

interface CopyableProps {
  readonly value: string
  /** The name of the value in the button's label, such as "address" or "API key". */
  readonly what: string
  /** Whether only both ends of the value are shown. The button always copies the whole value. */
  readonly isShortened?: boolean
  /** Whether the value is shown in a box. This suits values that are shown once or pasted elsewhere. */
  readonly isBlock?: boolean
}

export function Copyable({ value, what, isShortened = false, isBlock = false }: CopyableProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => void navigator.clipboard.writeText(value).then(() => setCopied(true))
  const Icon = isCopied ? Check : Copy
  return (
    <span
      className={classNames(
        'inline-flex max-w-full items-center gap-1',
        isBlock && 'w-full justify-between rounded-lg border border-line bg-band py-1.5 pr-1.5 pl-3',
      )}
    >
      <code title={value} className="min-w-0 font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
        {isShortened ? shortened(value) : value}
      </code>
      <button
        type="button"
        onClick={copy}
        aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
        className="relative z-10 shrink-0 rounded-md p-1 text-ink-faint hover:bg-band hover:text-ink"
      >
        <Icon aria-hidden className="size-3.5" />
      </button>
    </span>
  )
}

/**
 * Returns the first 10 and last 8 characters, by which people compare addresses. With fewer characters, it
 * would be cheap to generate a similar address.
 */
export function shortened(value: string): string {
  return value.length <= 20 ? value : `${value.slice(0, 10)}…${value.slice(-8)}`
}
