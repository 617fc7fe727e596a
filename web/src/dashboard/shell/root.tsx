import { Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { Button } from '../../design/button.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { errorText } from '../client.ts'
import { useSession } from '../session/use-session.ts'
import { Mark } from './mark.tsx'
import { Shell } from './shell.tsx'
import { useRequestedRoute } from './use-requested-route.ts'

const entrances = /\/sign-(?:in|up)$/

/** Redirects to the sign-in page if there is no session, and away from the sign-in page if there is one. */
export function Root() {
  const { data: session, error, refetch, isFetching } = useSession()
  const { pathname } = useLocation()
  const isAtEntrance = entrances.test(pathname)
  const wanted = useRequestedRoute(session, isAtEntrance)
  // If the server becomes unreachable during a session, the page and its input stay.
  if (session === undefined && error !== null)
    return (
      <main className="grid min-h-dvh place-items-center">
        <EmptyState
          icon={CircleAlert}
          title="The server does not respond"
          action={
            <Button variant="secondary" isBusy={isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {errorText(error)}
        </EmptyState>
      </main>
    )
  if (session === undefined)
    return (
      <main className="grid min-h-dvh place-items-center">
        <h1 className="motion-safe:animate-pulse">
          <Mark />
        </h1>
      </main>
    )
  if (session === null) return isAtEntrance ? <Outlet /> : <Navigate to="/sign-in" />
  if (isAtEntrance) return <Navigate to={wanted?.pathname ?? '/'} search={wanted?.search ?? {}} replace />
  return <Shell session={session} />
}
