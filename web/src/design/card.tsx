import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface CardProps {
  readonly title?: ReactNode
  readonly description?: ReactNode
  /** The buttons or badges to the right of the title. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
  /** Whether the content extends to the border of the card, as a table does. */
  readonly isFlush?: boolean
}

export function Card({ title, description, actions, children, isFlush = false }: CardProps) {
  const hasHead = title !== undefined || description !== undefined || actions !== undefined
  return (
    <section className="min-w-0 overflow-clip rounded-2xl border border-line bg-paper shadow-card">
      {hasHead && (
        <div className={classNames('grid gap-0.5 px-4 pt-4 sm:px-5', isFlush && 'pb-3')}>
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            {title !== undefined && <h2 className="min-w-0 text-[0.9375rem] font-semibold">{title}</h2>}
            {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
          </div>
          {description !== undefined && (
            <div className="max-w-2xl text-pretty text-ink-soft">{description}</div>
          )}
        </div>
      )}
      {children !== undefined && (
        <div className={isFlush ? (hasHead ? 'border-t border-line' : '') : 'grid gap-4 p-4 sm:px-5'}>
          {children}
        </div>
      )}
    </section>
  )
}

/** A key figure with its name, in large type. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="grid content-start gap-1 rounded-2xl border border-line bg-paper p-4 shadow-card sm:px-5">
      <p className="text-ink-soft">{name}</p>
      <div className="figures text-[1.375rem] leading-tight sm:text-[1.625rem] font-semibold tracking-tight">
        {value}
      </div>
      {note !== undefined && <div className="text-[0.8125rem] text-ink-soft">{note}</div>}
    </div>
  )
}

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
      {children}
    </dl>
  )
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
