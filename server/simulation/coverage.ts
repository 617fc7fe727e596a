/** Measures which mutants' code a seed runs, with the block coverage of V8. */
import { Session } from 'node:inspector/promises'
import { hasRun, type Place } from './mutant-places.ts'

/** Returns the result of `run`, and the names of the mutants whose code it executed. */
export async function covered<T>(places: readonly Place[], run: () => Promise<T>) {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    const value = await run()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const functionsOf = new Map(result.map(({ url, functions }) => [url, functions]))
    const ran = places.filter((place) => hasRun(place, functionsOf.get(urlOf(place)) ?? []))
    return { value, ran: [...new Set(ran.map(({ mutant }) => mutant))] }
  } finally {
    session.disconnect()
  }
}

/** The compiled server/src is beside the compiled simulation. */
function urlOf({ file }: Place): string {
  return new URL(`../src/${file}`, import.meta.url).href
}
