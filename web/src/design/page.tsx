import type { ReactNode } from 'react'
import { useEffect } from 'react'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** Above the title: the way back. */
  readonly back?: ReactNode
  readonly children: ReactNode
}

/** A page's head and its parts below each other. */
export function Page({ title, description, actions, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Coffer`
  }, [title])
  return (
    <div className="mx-auto grid w-full max-w-6xl content-start gap-5 px-4 pt-5 pb-10 sm:px-8 sm:pt-8">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 gap-1">
          {back}
          <h1 className="text-[1.375rem] leading-tight font-semibold tracking-tight [overflow-wrap:anywhere]">
            {title}
          </h1>
          {description !== undefined && <p className="max-w-prose text-ink-soft">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
