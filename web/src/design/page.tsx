import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { Card } from './card.tsx'
import { Skeleton, SkeletonLines } from './skeleton.tsx'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** The link back, above the title. */
  readonly back?: ReactNode
  readonly children: ReactNode
}

const frame = 'mx-auto grid w-full max-w-6xl content-start gap-5 px-4 pt-5 pb-10 sm:px-8 sm:pt-7'

/** The header of a page and its parts below. */
export function Page({ title, description, actions, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Coffer`
  }, [title])
  return (
    <div className={frame}>
      <header className="grid gap-1">
        {back}
        {/* As high as a button, so that the title has the same position with and without one. */}
        <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <h1 className="min-w-0 text-[1.375rem] leading-tight font-semibold tracking-tight [overflow-wrap:anywhere]">
            {title}
          </h1>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {description !== undefined && <p className="max-w-2xl text-pretty text-ink-soft">{description}</p>}
      </header>
      {children}
    </div>
  )
}

/** Shown in place of a page while it is loading. */
export function PagePlaceholder() {
  return (
    <div className={frame}>
      <Skeleton className="h-9 w-44" />
      <Card>
        <SkeletonLines count={6} />
      </Card>
    </div>
  )
}
