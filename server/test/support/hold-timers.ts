/** Timers that a test fires by hand, so that it need not wait for them. */
import { onTestFinished, vi } from 'vitest'

export interface HeldTimer {
  readonly ms: number
  /** Runs the timer's callback at once. */
  fire(): void
}

/**
 * Collects the timers with selected delays that are set from now until the test ends. They also fire at their
 * own time.
 */
export function holdTimers(isHeld: (ms: number) => boolean): readonly HeldTimer[] {
  const held: HeldTimer[] = []
  const { setTimeout: setReal } = globalThis
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: (...words: unknown[]) => void,
    ms = 0,
    ...words: unknown[]
  ) => {
    const timer = setReal(work, ms, ...words)
    const fire = () => {
      clearTimeout(timer)
      work(...words)
    }
    if (isHeld(ms)) held.push({ ms, fire })
    return timer
  }) as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
  return held
}
