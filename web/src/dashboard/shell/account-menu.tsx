import { useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { api } from '../client.ts'
import { endSession, type Session } from '../session/use-session.ts'
import { useAction } from '../use-api.ts'

export function AccountMenu({ session }: { session: Session }) {
  const queries = useQueryClient()
  const leave = useAction(() => api.endDashboardSession(), {
    onDone: () => endSession(queries),
  })
  return (
    <div className="flex items-center gap-2 border-t border-line px-4 py-3">
      <p className="min-w-0 flex-1 truncate text-[0.8125rem] text-ink-soft" title={session.account.email}>
        {session.account.email}
      </p>
      <button
        type="button"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => leave.mutate(undefined)}
        className="rounded-lg p-1.5 text-ink-soft hover:bg-band hover:text-ink"
      >
        <LogOut aria-hidden className="size-4" />
      </button>
    </div>
  )
}
