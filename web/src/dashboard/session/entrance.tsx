import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { Mark } from '../shell/mark.tsx'

/** The layout of the pages before login: one card in the middle. */
export function Entrance({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Coffer`
  }, [title])
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-6 px-4 py-10">
      <Mark />
      <div className="grid w-full max-w-sm gap-5 rounded-2xl border border-line bg-paper p-6 shadow-card">
        <div className="grid gap-1">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          <p className="text-ink-soft">{lead}</p>
        </div>
        {children}
      </div>
    </main>
  )
}
