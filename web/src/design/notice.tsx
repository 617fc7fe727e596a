import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tone = 'good' | 'warn' | 'bad' | 'note'

const tones = {
  good: { icon: CircleCheck, classes: 'bg-good-soft text-good' },
  warn: { icon: TriangleAlert, classes: 'bg-warn-soft text-warn' },
  bad: { icon: CircleAlert, classes: 'bg-bad-soft text-bad' },
  note: { icon: Info, classes: 'bg-note-soft text-note' },
} as const

export function Notice({ tone, title, children }: { tone: Tone; title?: string; children: ReactNode }) {
  const { icon: Icon, classes } = tones[tone]
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'note'}
      className={classNames('flex gap-2.5 rounded-xl p-3', classes)}
    >
      <Icon aria-hidden className="mt-px size-4.5 shrink-0" />
      <div className="min-w-0 grid gap-0.5">
        {title !== undefined && <p className="font-semibold first-letter:uppercase">{title}</p>}
        <div className="[overflow-wrap:anywhere]">{children}</div>
      </div>
    </div>
  )
}
