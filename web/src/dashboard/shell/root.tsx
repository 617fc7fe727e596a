import { Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { Button } from '../../design/button.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { faultText } from '../client.ts'
import { useSession } from '../session/use-session.ts'
import { Mark } from './mark.tsx'
import { Shell } from './shell.tsx'
import { useWantedPlace } from './use-wanted-place.ts'

const entrances = /\/sign-(?:in|up)$/

/** Lets nobody past the entrances without a session, and nobody with one stay there. */
export function Root() {
  const { data: session, error, refetch, isFetching } = useSession()
  const { pathname } = useLocation()
  const isAtEntrance = entrances.test(pathname)
  const wanted = useWantedPlace(session, isAtEntrance)
  // Whoever is known to be logged in goes on seeing their page, and what they have typed there, while the server is away.
  if (session === undefined && error !== null)
    return (
      <main className="grid min-h-dvh place-items-center">
        <EmptyState
          icon={CircleAlert}
          title="The server does not answer"
          action={
            <Button look="secondary" isBusy={isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {faultText(error)}
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
