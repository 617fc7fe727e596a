import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title: string
  /** Explains what the list shows and how its first entry is created. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-12 text-center">
      <span className="mb-1 grid size-11 place-items-center rounded-xl bg-accent-soft text-accent-text">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="text-[0.9375rem] font-semibold">{title}</p>
      <div className="max-w-md text-pretty text-ink-soft">{children}</div>
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  )
}
